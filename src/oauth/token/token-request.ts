import type { RequestInfo } from '../../http/index.ts';
import { invalidClient } from '../clients/client-authentication.ts';
import type { Client } from '../clients/client-metadata.ts';
import { readDpop } from '../dpop/dpop.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Parameters } from '../parameters.ts';
import type { Binding, DpopVerifier } from '../parts.ts';
import type { Settings } from '../settings.ts';

/** A request of the token endpoint by a client that has proved who it is. */
export interface TokenRequest {
  readonly form: Parameters;
  readonly client: Client;
  readonly binding: Binding;
  readonly info: RequestInfo;
}

/** Answers the requests of one grant type. */
export type AnswerGrant = (request: TokenRequest) => Promise<Response>;

/**
 * Finds out which key the tokens of an answer are bound to, before anything is used up.
 *
 * @throws `OAuthError` `invalid_dpop_proof` for a proof that is not good, or missing where the client needs one;
 * `invalid_client` when the client has no certificate to bind them to.
 */
export async function readBinding(
  request: Request,
  client: Client,
  info: RequestInfo,
  { dpop, urls, issuer }: Pick<Settings, 'urls' | 'issuer'> & { readonly dpop: DpopVerifier },
): Promise<Binding> {
  const { certificate } = info;
  const dpopThumbprint = await readDpop(request, urls.token, dpop, info);
  if (dpopThumbprint === undefined && client.requiresDpop) throw new OAuthError('invalid_dpop_proof');
  if (!client.bindsToCertificate) return dpopThumbprint === undefined ? {} : { dpopThumbprint };
  if (certificate === undefined) throw invalidClient(issuer, request.headers.has('authorization'));
  if (dpopThumbprint !== undefined) {
    throw new OAuthError('invalid_request', { problem: 'The tokens of this client are bound to its certificate' });
  }
  return { certificateThumbprint: certificate.thumbprint };
}

/** @throws `OAuthError` `invalid_request` when the parameter is missing. */
export function requireParameter(form: Parameters, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', { problem: `The parameter ${name} is missing` });
  return value;
}
