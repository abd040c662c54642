/** What a cookie is made of. It always goes to this host alone, never to scripts, and with no request of another site but links. */
export interface NewCookie {
  readonly name: string;
  /** Of the characters of base64url and full stops. */
  readonly value: string;
  readonly isSecure: boolean;
}

/** Reads a cookie (RFC 6265 section 4.2.1); one that is there twice was planted by somebody, and is none. */
export function readCookie({ headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  const values = pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  return values.length === 1 ? values[0] : undefined;
}

/** The name of a cookie: with the prefix no other host and no page without TLS can have set it (RFC 6265bis section 4.1.3.2). */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a `Set-Cookie` header. It is gone when the browser is closed. */
export function cookie({ name, value, isSecure }: NewCookie): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
}

/** Puts cookies into an answer that nobody else has. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const line of cookies) response.headers.append('set-cookie', line);
  return response;
}
