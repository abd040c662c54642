import type { Caller } from '../core/caller.ts';
import { DoorwardError } from '../core/errors.ts';
import { publishAudit } from '../core/events.ts';
import { isAccountId, isDisplayName } from '../core/identifiers.ts';
import { originOf } from '../core/origin.ts';
import { checkAssertion } from './assertion.ts';
import type { CredentialDescriptor } from './ceremony-options.ts';
import { newChallenge, type Purpose } from './challenge.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { Passkeys, PublicPasskey } from './passkeys.ts';
import { ALGORITHMS, MAX_PASSKEYS, registerCredential } from './registration.ts';
import { type PasskeysOptions, readSettings } from './settings.ts';
import { userHandle } from './user-handle.ts';

/**
 * Makes passkeys, as a second factor and as the only proof. Challenges are made without a store and work
 * once; assertions are verified by @simplewebauthn/server (Web Authentication Level 3 section 7).
 *
 * @throws `CONFIG_INVALID` for an option that cannot be meant.
 * @example
 * const passkeys = createPasskeys({
 *   store,
 *   once,
 *   challengeKey,
 *   rpId: 'example.org',
 *   rpName: 'Example',
 *   origins: ['https://www.example.org'],
 * });
 * const options = await passkeys.registrationOptions({ id: accountId, username: 'ada' });
 */
export function createPasskeys(options: PasskeysOptions): Passkeys {
  const settings = readSettings(options);
  const { store, rpId, rpName, challengeMs } = settings;

  const challenge = (purpose: Purpose, accountId: string): string =>
    newChallenge(settings.challengeKey, purpose, accountId, Math.floor(settings.clock()) + challengeMs);

  return {
    field: 'passkey',

    async registrationOptions({ id, username }) {
      requireAccountId(id);
      if (!isDisplayName(username)) throw inputInvalid('username', 'must be 1 to 64 visible characters');
      const passkeys = await store.list(id);
      if (passkeys.length >= MAX_PASSKEYS) throw inputInvalid('passkey', `must be at most ${MAX_PASSKEYS} an account`);
      return {
        rp: { id: rpId, name: rpName },
        user: { id: userHandle(id), name: username, displayName: username },
        challenge: challenge('register', id),
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
        timeout: challengeMs,
        excludeCredentials: passkeys.map(descriptorOf),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        attestation: 'none',
      };
    },

    async register(accountId, response, label = 'Passkey', caller = {}) {
      if (!isDisplayName(label)) throw inputInvalid('label', 'must be 1 to 64 visible characters');
      if (!isAccountId(accountId)) return undefined;
      const passkey = await registerCredential(settings, accountId, response, label);
      if (typeof passkey === 'string') return refused(passkey, caller, accountId);
      publishAudit({ type: 'factor.enrolled', accountId, factor: 'passkey', ...originOf(caller) });
      return publicPasskey(passkey);
    },

    async authenticationOptions(accountId) {
      if (accountId === undefined) {
        const login = { allowCredentials: [], userVerification: 'required' } as const;
        return { rpId, challenge: challenge('login', ''), timeout: challengeMs, ...login };
      }
      requireAccountId(accountId);
      const allowCredentials = (await store.list(accountId)).map(descriptorOf);
      const factor = { allowCredentials, userVerification: 'preferred' } as const;
      return { rpId, challenge: challenge('factor', accountId), timeout: challengeMs, ...factor };
    },

    async authenticate(response, caller = {}) {
      const assertion = await checkAssertion(settings, response);
      if (!assertion.ok) return refused(assertion.reason, caller, assertion.accountId);
      const { accountId, id } = assertion.passkey;
      return { accountId, amr: amrOf(assertion.passkey, assertion.userVerified), passkeyId: id };
    },

    async isEnrolled(accountId) {
      return isAccountId(accountId) && (await store.list(accountId)).length > 0;
    },

    async verify(accountId, proof, caller = {}) {
      if (!isAccountId(accountId)) return undefined;
      const assertion = await checkAssertion(settings, proof, accountId);
      return assertion.ok
        ? amrOf(assertion.passkey, assertion.userVerified)
        : refused(assertion.reason, caller, accountId);
    },

    async list(accountId) {
      return isAccountId(accountId) ? (await store.list(accountId)).map(publicPasskey) : [];
    },

    async remove(accountId, id, caller = {}) {
      if (!isAccountId(accountId) || typeof id !== 'string' || !/^[\w-]{1,1364}$/.test(id)) return false;
      if (!(await store.remove(accountId, id))) return false;
      publishAudit({ type: 'factor.removed', accountId, factor: 'passkey', ...originOf(caller) });
      return true;
    },

    async removeAll(accountId) {
      if (isAccountId(accountId)) await store.removeAll(accountId);
    },
  };
}

/** RFC 8176: a key that stays in one device or one that is copied, a touch, and whether a PIN or a finger came with it. */
function amrOf({ backedUp }: PasskeyRecord, userVerified: boolean): readonly string[] {
  return [backedUp ? 'swk' : 'hwk', 'user', ...(userVerified ? ['mfa'] : [])];
}

/** The names are copied one by one: whatever else a store returns stays inside. */
function publicPasskey({ id, label, transports, backedUp, createdAt }: PasskeyRecord): PublicPasskey {
  return { id, label, transports, backedUp, createdAt };
}

function descriptorOf({ id, transports }: PasskeyRecord): CredentialDescriptor {
  return { id, type: 'public-key', transports };
}

function requireAccountId(id: unknown): void {
  if (!isAccountId(id)) throw inputInvalid('accountId', 'is no id');
}

function inputInvalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field, problem });
}

function refused(reason: string, caller: Caller, accountId?: string): undefined {
  const whom = accountId !== undefined && { accountId };
  publishAudit({ type: 'factor.failed', ...whom, factor: 'passkey', reason, ...originOf(caller) });
  return undefined;
}
