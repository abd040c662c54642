/**
 * Tells whether the browser says that a form was sent by a page of ours. Our pages send no referrer, and so `null`
 * for their origin; browsers of before `Sec-Fetch-Site` say nothing, and the token of the form has to do.
 */
export function isSameOrigin({ headers }: Pick<Request, 'headers'>, issuer: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const origin = headers.get('origin');
  return origin === null || origin === 'null' || origin === new URL(issuer).origin;
}
