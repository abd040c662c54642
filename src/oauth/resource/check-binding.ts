import type { Caller } from '../../core/index.ts';
import { readConfirmation } from '../../tokens/confirmation.ts';
import type { Claims } from '../../tokens/index.ts';
import type { DpopVerifier } from '../parts.ts';

/** Why a token may not be used by the caller that presents it: it is another's, or its proof is not good. */
export type BindingProblem = 'confirmation' | 'dpop_proof';

/**
 * Checks the key that a token is bound to (`cnf`). A token that is bound to a key by DPoP is good with the scheme
 * `DPoP` only, and one that is not never with that scheme: neither can be passed off as the other (RFC 9449 section
 * 7.1 and 7.2). A certificate is the one of the connection (RFC 8705 section 3).
 *
 * @param url - the address that a DPoP proof must name
 * @returns `undefined` when the caller may use it.
 * @throws `SERVICE_UNAVAILABLE`
 */
export async function checkBinding(
  verifier: DpopVerifier,
  token: string,
  claims: Claims,
  caller: Caller,
  url: string | undefined,
): Promise<BindingProblem | undefined> {
  const bound = readConfirmation(claims);
  const { dpop, certificate } = caller;
  if (bound.kind === 'jkt') {
    if (dpop === undefined || url === undefined) return 'confirmation';
    const { method } = dpop;
    const { thumbprint } = bound;
    const proof = await verifier.verify(dpop.proof, { method, url, accessToken: token, thumbprint, caller });
    if (proof.ok) return undefined;
    return proof.reason === 'other_key' ? 'confirmation' : 'dpop_proof';
  }
  if (dpop !== undefined) return 'confirmation';
  if (bound.kind === 'none') return undefined;
  return bound.kind === 'x5t#S256' && bound.thumbprint === certificate?.thumbprint ? undefined : 'confirmation';
}
