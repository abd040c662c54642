/** The paths of the endpoints below the issuer's own path. */
export const ENDPOINT_PATHS = {
  authorize: '/authorize',
  token: '/oauth/token',
  introspect: '/oauth/introspect',
  revoke: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  jwks: '/jwks',
} as const;

export type EndpointName = keyof typeof ENDPOINT_PATHS;

/** The absolute address of every endpoint, as metadata, `htu` and `aud` name them. */
export type EndpointUrls = Readonly<Record<EndpointName, string>>;

/** @param issuer - without a trailing slash */
export function endpointUrls(issuer: string): EndpointUrls {
  const entries = Object.entries(ENDPOINT_PATHS).map(([name, path]) => [name, issuer + path]);
  return Object.freeze(Object.fromEntries(entries) as Record<EndpointName, string>);
}

/** The path of an issuer or a resource; empty for one without. */
export function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}
