import { DoorwardError } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Settings } from './options.ts';
import { responseInvalid } from './response-invalid.ts';

/** What one login asks for beside the rest (OpenID Connect Core section 3.1.2.1). */
export interface AuthorizationRequestOptions {
  readonly loginHint?: string;
  /** With `login` the answer must tell of a login after the request, as with `maxAgeSeconds: 0`. */
  readonly prompt?: 'none' | 'login' | 'consent' | 'select_account';
  /** How long ago the login may have been, in whole seconds; checked in the answer. */
  readonly maxAgeSeconds?: number;
  /** The classes of which the login must have one; checked in the answer. */
  readonly acrValues?: readonly string[];
}

/** What a server keeps for one browser, in its own session, from `authorizationUrl` to `handleCallback`. Plain JSON. */
export interface AuthorizationTransaction extends Pick<AuthorizationRequestOptions, 'maxAgeSeconds' | 'acrValues'> {
  readonly issuer: string;
  readonly clientId: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/**
 * Reads a transaction: of this client, at this server, and not too old. What was begun with another server ends
 * here, so that nobody is made to finish it at this one (RFC 9700 section 4.4).
 *
 * @throws `OAUTH_RESPONSE_INVALID`
 */
export function readTransaction(value: unknown, settings: Settings): AuthorizationTransaction {
  const { issuer, clientId, maxTransactionSeconds, isOidc, clock } = settings;
  if (ownProperty(value, 'issuer') !== issuer || ownProperty(value, 'clientId') !== clientId) {
    throw responseInvalid('transaction', 'is missing, or of another client or server');
  }
  const age = clock() - Number(ownProperty(value, 'createdAt'));
  if (!(age >= -settings.toleranceSeconds * 1_000 && age <= maxTransactionSeconds * 1_000)) {
    throw responseInvalid('transaction', 'is too old');
  }
  const maxAgeSeconds = ownProperty(value, 'maxAgeSeconds');
  const acrValues = ownProperty(value, 'acrValues');
  if (!isAbsentOr(isAge, maxAgeSeconds) || !isAbsentOr(isList, acrValues)) throw damaged();
  if (!isOidc && (maxAgeSeconds !== undefined || acrValues !== undefined)) throw damaged();
  return {
    issuer,
    clientId,
    state: text(value, 'state'),
    nonce: text(value, 'nonce'),
    codeVerifier: text(value, 'codeVerifier'),
    createdAt: Number(ownProperty(value, 'createdAt')),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    ...(acrValues !== undefined && { acrValues }),
  };
}

function text(value: unknown, name: string): string {
  const read = ownProperty(value, name);
  if (typeof read !== 'string' || read === '') throw damaged();
  return read;
}

/** What would not be checked as it was meant ends here: a session store that keeps no lists, for example. */
function damaged(): DoorwardError {
  return responseInvalid('transaction', 'is damaged');
}

const DEMANDS: readonly string[] = ['loginHint', 'prompt', 'maxAgeSeconds', 'acrValues'];
const PROMPTS: readonly unknown[] = ['none', 'login', 'consent', 'select_account'];

/** @throws `INPUT_INVALID` */
export function checkRequest(request: AuthorizationRequestOptions, { isOidc }: Pick<Settings, 'isOidc'>): void {
  const { prompt, maxAgeSeconds, acrValues } = request;
  // A demand under a misspelt name would be made of nobody.
  const unknown = Object.keys(request).find((name) => !DEMANDS.includes(name));
  if (unknown !== undefined) throw inputInvalid(unknown, 'is not known');
  if (!isOidc) {
    for (const [name, isAsked] of Object.entries({
      prompt: prompt === 'login',
      maxAgeSeconds: maxAgeSeconds !== undefined,
      acrValues: acrValues !== undefined,
    })) {
      if (isAsked) throw inputInvalid(name, 'can be checked only with the scope openid');
    }
  }
  if (prompt !== undefined && !PROMPTS.includes(prompt)) throw inputInvalid('prompt', 'is not a known one');
  if (!isAbsentOr(isAge, maxAgeSeconds)) throw inputInvalid('maxAgeSeconds', 'must be a whole number of seconds');
  if (!isAbsentOr(isList, acrValues)) throw inputInvalid('acrValues', 'must be a non-empty list');
}

function inputInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field, problem });
}

function isAge(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === 'string' && text !== '');
}

function isAbsentOr<T>(matches: (value: unknown) => value is T, value: unknown): value is T | undefined {
  return value === undefined || matches(value);
}
