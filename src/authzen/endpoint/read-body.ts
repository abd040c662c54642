import { type JsonObject, parseJsonObject } from '../../core/json-object.ts';
import { readBytes } from '../../core/read-bytes.ts';
import { failure } from './answers.ts';

const LIMITS = { nesting: 32, iJson: true };
const JSON_TYPE = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

/** Reads the JSON object of a request, or answers why it cannot be read. */
export async function readBody(request: Request, maxBytes: number): Promise<JsonObject | Response> {
  const { headers, body } = request;
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) return failure(400, 'Content-Type must be application/json');
  if (headers.has('content-encoding')) return failure(400, 'Content-Encoding is not supported');
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return failure(413, 'the body is too large');
  try {
    const bytes = body === null ? Buffer.alloc(0) : await readBytes(body, maxBytes);
    if (bytes === undefined) return failure(413, 'the body is too large');
    if (bytes.length === 0) return failure(400, 'the body is empty');
    return parseJsonObject(bytes, LIMITS) ?? failure(400, 'the body must be a JSON object (RFC 7493)');
  } catch {
    return failure(400, 'the body is incomplete');
  }
}
