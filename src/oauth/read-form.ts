import { readFormPairs } from '../http/body.ts';
import { toOAuthError } from './answers.ts';
import { OAuthError } from './oauth-error.ts';
import { type Parameters, parametersOf } from './parameters.ts';

/**
 * Reads the form of a protocol endpoint. The query is never looked at, and nothing but
 * `application/x-www-form-urlencoded` in UTF-8 is read (RFC 6749 appendix B).
 *
 * @param limit - in bytes
 * @throws `OAuthError` `invalid_request` with what is wrong.
 */
export async function readParameters(request: Request, limit: number): Promise<Parameters> {
  const pairs = await readFormPairs(request, limit).catch((error: unknown) => {
    throw toOAuthError(error);
  });
  const parameters = parametersOf(pairs);
  if ('repeated' in parameters) throw new OAuthError('invalid_request', { problem: 'A parameter is given twice' });
  return parameters;
}
