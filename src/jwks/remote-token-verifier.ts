import { generateKeyPairSync } from 'node:crypto';
import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';
import { type Caller, DoorwardError, isPromise, type MaybePromise } from '../core/index.ts';
import {
  createTokenVerifier,
  isConfirmed,
  publicKey,
  type TokenKey,
  type TokenResult,
  type TokenVerifier,
  type TokenVerifierOptions,
} from '../tokens/index.ts';
import { readText, readTexts } from '../tokens/options.ts';
import { mayBeAccessToken } from './access-token.ts';
import { createRemoteKeySet } from './remote-key-set.ts';
import { REMOTE_KEY_OPTIONS, type RemoteKeyOptions, readAlgorithms } from './remote-options.ts';
import { unverifiedKid } from './unverified-kid.ts';

export interface RemoteTokenVerifierOptions
  extends RemoteKeyOptions,
    Pick<TokenVerifierOptions, 'allowUntyped' | 'maxLifetimeSeconds' | 'isRevoked' | 'cache' | 'clock'> {
  /** The issuer, exactly as its tokens and its metadata spell it. */
  readonly issuer: string;
  /** What this server is called in `aud`: never the client's id, which is the audience of ID tokens. */
  readonly audience: string | readonly string[];
  /** The address of the keys. @default found through the issuer's metadata */
  readonly url?: string;
  /** The accepted `typ` of the header. Many issuers write `JWT`: read the documentation first. @default ['at+jwt'] */
  readonly types?: readonly string[];
  /** How far the clocks may be apart, 0 to 60. @default 5 */
  readonly toleranceSeconds?: number;
}

/** Checks access tokens of another issuer. */
export interface RemoteTokenVerifier {
  /**
   * Answers at once when the key is known. A refusal is a value; what nobody can tell, because the keys cannot be
   * had, is thrown.
   *
   * @throws `SERVICE_UNAVAILABLE`, `SERVICE_BUSY`
   */
  verify(token: unknown, caller?: Caller): MaybePromise<TokenResult>;
  /** Fetches the keys now. @throws `SERVICE_UNAVAILABLE` */
  load(): Promise<void>;
  /** Ends the fetch under way; no token is judged any more. */
  close(): void;
}

const PASSED_ON = ['allowUntyped', 'maxLifetimeSeconds', 'isRevoked', 'cache', 'clock'];
const RULES = ['issuer', 'audience', 'types', 'toleranceSeconds', ...PASSED_ON];

/**
 * Makes a verifier of access tokens (RFC 9068 section 4) that another issuer signs and whose keys it publishes, such
 * as Auth0, Keycloak or Entra. Keys in a token's header are never looked at. A token that is bound to a client
 * certificate (RFC 8705 section 3) is good only from the caller that presented it.
 *
 * @throws `CONFIG_INVALID` without `issuer` or `audience`, and for what `createRemoteKeySet` and
 * `createTokenVerifier` refuse.
 * @example
 * const remote = createRemoteTokenVerifier({ issuer: 'https://login.example.org', audience: 'https://api.example.org' });
 * const result = await remote.verify(token);
 */
export function createRemoteTokenVerifier(options: RemoteTokenVerifierOptions): RemoteTokenVerifier {
  refuseUnknownOptions(options, [...RULES, 'url', ...REMOTE_KEY_OPTIONS]);
  const issuer = readText(options, 'issuer');
  if (issuer === undefined) throw configInvalid('issuer', 'must be given: every issuer could sign otherwise');
  const audience = readTexts(options, 'audience');
  if (audience === undefined) throw configInvalid('audience', 'must be given: tokens for others would pass otherwise');
  const types = readTexts(options, 'types') ?? ['at+jwt'];
  const { toleranceSeconds = 5 } = options;
  const algorithms = readAlgorithms(options);
  const place = Object.hasOwn(options, 'url') ? pick(options, ['url']) : { issuer };
  const keySet = createRemoteKeySet({ ...pick(options, REMOTE_KEY_OPTIONS), ...place });
  const rules = { ...pick(options, PASSED_ON), issuer, audience, types, toleranceSeconds };

  const verifierOf = (keys: readonly TokenKey[]): TokenVerifier => createTokenVerifier({ ...rules, keys });
  // Built once with a key that has never signed anything, so that wrong rules are found now and not by the first token.
  let verifier = verifierOf(keyOfNobody());
  let verifierKeys: readonly TokenKey[] | undefined;

  const judge = (token: unknown, caller: Caller | undefined): TokenResult => {
    const { keys } = keySet;
    if (keys.length === 0) throw new DoorwardError('SERVICE_UNAVAILABLE');
    if (keys !== verifierKeys) {
      verifier = verifierOf(keys);
      verifierKeys = keys;
    }
    const result = verifier.verify(token);
    if (!result.ok) return result;
    if (!mayBeAccessToken(result.claims)) return { ok: false, reason: 'type' };
    // Nobody checks a DPoP proof here, so its scheme promises more than is kept.
    const isTheirs = caller?.dpop === undefined && isConfirmed(result.claims, caller?.certificate?.thumbprint);
    return isTheirs ? result : { ok: false, reason: 'confirmation' };
  };

  const judgeOrAsk = (token: unknown, caller: Caller | undefined): MaybePromise<TokenResult> => {
    const result = judge(token, caller);
    if (result.ok || result.reason !== 'unknown_key') return result;
    const kid = unverifiedKid(token, algorithms);
    const asked = kid === undefined ? undefined : keySet.ready(kid);
    return isPromise(asked) ? asked.then(() => judge(token, caller)) : result;
  };

  return Object.freeze({
    verify(token: unknown, caller?: Caller): MaybePromise<TokenResult> {
      const ready = keySet.ready();
      return isPromise(ready) ? ready.then(() => judgeOrAsk(token, caller)) : judgeOrAsk(token, caller);
    },
    load: keySet.load,
    close: keySet.close,
  });
}

function keyOfNobody(): readonly TokenKey[] {
  return [publicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)];
}

/** The named options that are there: an absent one stays absent. */
function pick<T extends object>(options: T, names: readonly string[]): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name))) as Partial<T>;
}
