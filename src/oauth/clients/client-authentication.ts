import { createHash, timingSafeEqual } from 'node:crypto';
import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { RequestInfo } from '../../http/index.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Parameters } from '../parameters.ts';
import type { AuthenticateClient } from '../parts.ts';
import type { Settings } from '../settings.ts';
import { type BasicCredentials, readBasic } from './basic-credentials.ts';
import { createAssertionCheck, JWT_BEARER_ASSERTION, unverifiedSubject } from './client-assertion.ts';
import type { Client } from './client-metadata.ts';
import type { RegisteredClient } from './client-registry.ts';

/** What a request brings to show which client sends it. */
type Presented =
  | {
      readonly by: 'client_secret_basic' | 'client_secret_post';
      readonly id: string | undefined;
      readonly secret: string;
    }
  | { readonly by: 'private_key_jwt'; readonly id: string | undefined; readonly assertion: string }
  /** Its id and nothing else in the request: a public client, or one that TLS has identified. */
  | { readonly by: 'id'; readonly id: string | undefined };

/** Compared with where there is no client or it has no secret, so that the work is the same. */
const NO_SECRET = Buffer.alloc(32);

/**
 * Makes the authentication of clients (RFC 6749 section 2.3): each by the method it is registered with and by no
 * other. Wrong secrets are not counted: they have at least 32 characters, so nobody guesses one.
 */
export function createAuthenticateClient(
  settings: Pick<Settings, 'clients' | 'once' | 'clock' | 'urls' | 'issuer'>,
): AuthenticateClient {
  const { clients, clock } = settings;
  const checkAssertion = createAssertionCheck(settings);

  /** Tells why it is not that client; `undefined` when it is. */
  const problemOf = async (
    presented: Presented,
    registered: RegisteredClient | undefined,
    info: RequestInfo,
  ): Promise<string | undefined> => {
    // A secret is compared whatever else is wrong: an unknown client takes no less work than a wrong secret.
    const isSecretRight = 'secret' in presented && isSecret(presented.secret, registered?.secretHash);
    if (registered === undefined) return 'unknown_client';
    const { authMethod } = registered.client;
    if (presented.by === 'id') {
      if (authMethod === 'none') return undefined;
      if (authMethod === 'tls_client_auth') return certificateProblem(registered, info, clock());
      return 'no_credentials';
    }
    if (presented.by !== authMethod) return 'method';
    if (presented.by === 'private_key_jwt') return checkAssertion(registered, presented.assertion);
    return isSecretRight ? undefined : 'secret';
  };

  return async (request, form, info): Promise<Client> => {
    const basic = readBasic(request.headers.get('authorization'));
    const refusal = invalidClient(settings.issuer, basic.kind !== 'none');
    const presented = readPresented(basic, form);
    if (presented === undefined) throw rejected('malformed', info, refusal);
    const registered = clients.find(presented.id);
    const reason = await problemOf(presented, registered, info);
    if (registered === undefined || reason !== undefined) {
      throw rejected(reason ?? 'unknown_client', info, refusal, registered?.client.id);
    }
    return registered.client;
  };
}

/**
 * @returns `undefined` for an attempt that cannot be read
 * @throws `OAuthError` `invalid_request` for more than one method, or two ids that differ
 */
function readPresented(basic: BasicCredentials, form: Parameters): Presented | undefined {
  const formId = form.get('client_id');
  const secret = form.get('client_secret');
  const assertion = form.get('client_assertion');
  const type = form.get('client_assertion_type');
  const isAsserting = assertion !== undefined || type !== undefined;
  if (basic.kind === 'repeated') throw ambiguous();
  if ([basic.kind !== 'none', secret !== undefined, isAsserting].filter(Boolean).length > 1) throw ambiguous();
  if (basic.kind === 'invalid') return undefined;
  if (basic.kind === 'credentials') {
    if (formId !== undefined && formId !== basic.id) throw differentIds();
    return { by: 'client_secret_basic', id: basic.id, secret: basic.secret };
  }
  if (isAsserting) {
    if (assertion === undefined || type !== JWT_BEARER_ASSERTION) return undefined;
    const id = unverifiedSubject(assertion);
    if (formId !== undefined && id !== undefined && formId !== id) throw differentIds();
    return { by: 'private_key_jwt', id, assertion };
  }
  return secret === undefined ? { by: 'id', id: formId } : { by: 'client_secret_post', id: formId, secret };
}

/** Digests have one length, so that neither their comparison nor its time depends on the secrets. */
function isSecret(secret: string, hash: Buffer = NO_SECRET): boolean {
  return timingSafeEqual(createHash('sha256').update(secret).digest(), hash);
}

/** RFC 8705 section 2.1. A connection may outlive the certificate that it began with. */
function certificateProblem(
  { isOwnCertificate }: RegisteredClient,
  { certificate }: RequestInfo,
  now: number,
): string | undefined {
  if (certificate === undefined) return 'no_certificate';
  if (!(now <= certificate.notAfter)) return 'expired';
  return isOwnCertificate?.(certificate) === true ? undefined : 'certificate';
}

/** RFC 6749 section 5.2: the challenge answers only those who used the `Authorization` header. */
export function invalidClient(issuer: string, usedHeader: boolean): OAuthError {
  const headers = usedHeader ? { 'www-authenticate': `Basic realm="${issuer}"` } : {};
  return new OAuthError('invalid_client', { status: 401, headers });
}

function ambiguous(): OAuthError {
  return new OAuthError('invalid_request', { problem: 'Only one method of client authentication may be used' });
}

function differentIds(): OAuthError {
  return new OAuthError('invalid_request', { problem: 'The request names two clients' });
}

function rejected(reason: string, info: RequestInfo, refusal: OAuthError, clientId?: string): OAuthError {
  publishAudit({ type: 'client.rejected', reason, ...(clientId !== undefined && { clientId }), ...originOf(info) });
  return refusal;
}
