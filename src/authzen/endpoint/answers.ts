/** Headers of every answer: none is kept by anyone on the way, and none is taken for anything but what it says. */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
/** An id that can be repeated: printable ASCII, of a sensible length. */
const REQUEST_ID = /^[\x20-\x7e]{1,256}$/;

export function answered(body: unknown): Response {
  return Response.json(body, { headers: HEADERS });
}

/** A failure of the request, which is no decision: its body is "an error message string". */
export function failure(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(message, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
  });
}

/** Sends the id of a request back ("Request Identification"). */
export function identified(request: Request, response: Response): Response {
  const id = request.headers.get('x-request-id');
  if (id !== null && REQUEST_ID.test(id)) response.headers.set('x-request-id', id);
  return response;
}
