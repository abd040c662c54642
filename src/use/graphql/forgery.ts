const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i;
const OWN_SITE: readonly unknown[] = ['same-origin', 'none'];

/**
 * Whether a page of another site may have made a browser send a request without anybody being asked (CORS): the body
 * is one that a form can send, and the browser adds what it has by itself, such as a client certificate.
 */
export function mayBeForged(method: string, headers: Pick<Headers, 'get'>): boolean {
  if (method !== 'POST' || JSON_TYPE.test(headers.get('content-type') ?? '')) return false;
  // Only browsers say where a page is from; old ones, and those without TLS, name its origin alone.
  const site = headers.get('sec-fetch-site') ?? (headers.get('origin') === null ? 'none' : 'cross-site');
  return !OWN_SITE.includes(site);
}
