/** A document that everybody may keep for five minutes: so long before it signs a key has to be announced. */
export function publicJson(bytes: Buffer<ArrayBuffer>): Response {
  return new Response(bytes, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    },
  });
}
