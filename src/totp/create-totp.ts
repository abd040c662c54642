import { createHmac } from 'node:crypto';
import { generateSecret, generateURI, ScureBase32Plugin } from 'otplib';
import type { Caller } from '../core/caller.ts';
import { DoorwardError } from '../core/errors.ts';
import { publishAudit } from '../core/events.ts';
import { isAccountId, isDisplayName } from '../core/identifiers.ts';
import { originOf } from '../core/origin.ts';
import { newRecoveryCodes, readRecoveryCode, recoveryHash } from './recovery-codes.ts';
import { type Enrolment, seal, unseal } from './sealed-secret.ts';
import { readSettings, type Settings, type TotpOptions } from './settings.ts';
import { matchingStep, readCode, STEP_MS } from './time-step.ts';
import type { Totp } from './totp.ts';
import type { TotpRecord } from './totp-store.ts';

/** RFC 4226 section 4, requirement 6, recommends 160 bits. */
const SECRET_BYTES = 20;
/** How often a first code may be tried; a person who mistypes as often scans the code again. */
const CONFIRM_ATTEMPTS = 5;

/**
 * Makes the second factor of one-time passwords by time: six digits, SHA-1, 30 seconds, which is what
 * authenticator apps can do. A code works once, and secrets are stored sealed (RFC 6238 section 5.2).
 *
 * @throws `CONFIG_INVALID` for an option that cannot be meant.
 * @example
 * const totp = createTotp({ store, once, sealKey, issuer: 'Example' });
 * const { uri } = await totp.enrol(accountId, 'ada');
 * const recoveryCodes = await totp.confirm(accountId, '123456');
 */
export function createTotp(options: TotpOptions): Totp {
  const settings = readSettings(options);
  const { store, clock } = settings;
  const base32 = new ScureBase32Plugin();

  return {
    field: 'otp',

    async enrol(accountId, accountName) {
      if (!isAccountId(accountId))
        throw new DoorwardError('INPUT_INVALID', { field: 'accountId', problem: 'is no id' });
      if (!isDisplayName(accountName)) {
        throw new DoorwardError('INPUT_INVALID', {
          field: 'accountName',
          problem: 'must be 1 to 64 visible characters',
        });
      }
      const secret = generateSecret({ length: SECRET_BYTES });
      const opened = { secret: Buffer.from(base32.decode(secret)), startedAt: Math.floor(clock()) };
      const sealedSecret = seal(settings.sealKey, accountId, opened);
      if (!(await store.enrol({ accountId, sealedSecret, confirmed: false, recoveryHashes: [] }))) {
        throw new DoorwardError('INPUT_INVALID', { field: 'otp', problem: 'is enrolled already: remove it first' });
      }
      return { secret, uri: generateURI({ issuer: settings.issuer, label: accountName, secret }) };
    },

    async confirm(accountId, otp, caller = {}) {
      const refuse = (reason: string) => refused(accountId, 'totp', reason, caller);
      const code = typeof otp === 'string' ? readCode(otp) : undefined;
      if (!isAccountId(accountId) || code === undefined) return refuse('malformed');
      const record = await store.find(accountId);
      if (record === undefined || record.confirmed) return refuse('not_waiting');
      const now = clock();
      const enrolment = unseal(settings.sealKey, accountId, record.sealedSecret);
      if (enrolment === undefined) return refuse('secret_unreadable');
      if (!(now < enrolment.startedAt + settings.confirmMs)) return refuse('too_late');
      if (!(await mayTry(settings, enrolment, accountId, now))) return refuse('too_many_attempts');
      const problem = await useCode(settings, enrolment, accountId, code, now);
      if (problem !== undefined) return refuse(problem);
      const codes = newRecoveryCodes();
      if (!(await store.confirm(accountId, record.sealedSecret, hashes(settings, accountId, codes)))) {
        return refuse('not_waiting');
      }
      publishAudit({ type: 'factor.enrolled', accountId, factor: 'totp', ...originOf(caller) });
      return codes;
    },

    async isEnrolled(accountId) {
      return (await confirmedRecord(settings, accountId)) !== undefined;
    },

    async verify(accountId, proof, caller = {}) {
      if (!isAccountId(accountId) || typeof proof !== 'string') return refused(accountId, 'totp', 'malformed', caller);
      const code = readCode(proof);
      if (code !== undefined) return verifyCode(settings, accountId, code, caller);
      const recoveryCode = readRecoveryCode(proof);
      if (recoveryCode !== undefined) return verifyRecoveryCode(settings, accountId, recoveryCode, caller);
      return refused(accountId, 'totp', 'malformed', caller);
    },

    async replaceRecoveryCodes(accountId, caller = {}) {
      if (!isAccountId(accountId)) return undefined;
      const codes = newRecoveryCodes();
      if (!(await store.replaceRecovery(accountId, hashes(settings, accountId, codes)))) return undefined;
      publishAudit({ type: 'factor.enrolled', accountId, factor: 'recovery_code', ...originOf(caller) });
      return codes;
    },

    async status(accountId) {
      const record = await confirmedRecord(settings, accountId);
      return { confirmed: record !== undefined, recoveryCodesLeft: record?.recoveryHashes.length ?? 0 };
    },

    async remove(accountId, caller = {}) {
      if (!isAccountId(accountId) || !(await store.remove(accountId))) return false;
      publishAudit({ type: 'factor.removed', accountId, factor: 'totp', ...originOf(caller) });
      return true;
    },
  };
}

async function verifyCode(
  settings: Settings,
  accountId: string,
  code: string,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const record = await confirmedRecord(settings, accountId);
  if (record === undefined) return refused(accountId, 'totp', 'not_enrolled', caller);
  const enrolment = unseal(settings.sealKey, accountId, record.sealedSecret);
  if (enrolment === undefined) return refused(accountId, 'totp', 'secret_unreadable', caller);
  const problem = await useCode(settings, enrolment, accountId, code, settings.clock());
  return problem === undefined ? ['otp'] : refused(accountId, 'totp', problem, caller);
}

async function verifyRecoveryCode(
  settings: Settings,
  accountId: string,
  code: string,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const record = await confirmedRecord(settings, accountId);
  if (record === undefined) return refused(accountId, 'recovery_code', 'not_enrolled', caller);
  const hash = recoveryHash(settings.recoveryKey, accountId, code);
  // Asking the store only for codes that are there keeps guesses from writing to it; the store still decides.
  if (!record.recoveryHashes.includes(hash) || !(await settings.store.takeRecovery(accountId, hash))) {
    return refused(accountId, 'recovery_code', 'wrong_or_used', caller);
  }
  const left = record.recoveryHashes.filter((other) => other !== hash).length;
  publishAudit({ type: 'recovery_code.used', accountId, left, ...originOf(caller) });
  return ['otp'];
}

/** Uses a code up. @returns why it is not good, or `undefined` when it is. */
async function useCode(
  settings: Settings,
  enrolment: Enrolment,
  accountId: string,
  code: string,
  now: number,
): Promise<'wrong' | 'replayed' | undefined> {
  const { driftSteps } = settings;
  const step = matchingStep(enrolment.secret, code, now, driftSteps);
  if (step === undefined) return 'wrong';
  // One step more than the code lives here, for another process whose clock is behind.
  const expiresAt = (step + driftSteps + 2) * STEP_MS;
  const first = await settings.once.once(onceKey(settings, enrolment, accountId, `step ${step}`), expiresAt, now);
  return first ? undefined : 'replayed';
}

/** Takes one of the places that an enrolment has for attempts; parallel attempts cannot share one. */
async function mayTry(settings: Settings, enrolment: Enrolment, accountId: string, now: number): Promise<boolean> {
  const expiresAt = enrolment.startedAt + settings.confirmMs + STEP_MS;
  for (let attempt = 1; attempt <= CONFIRM_ATTEMPTS; attempt++) {
    const key = onceKey(settings, enrolment, accountId, `attempt ${attempt}`);
    if (await settings.once.once(key, expiresAt, now)) return true;
  }
  return false;
}

/** Another enrolment of the same account has other keys: removing and enrolling again locks nobody out. */
function onceKey(settings: Settings, enrolment: Enrolment, accountId: string, what: string): string {
  const digest = createHmac('sha256', settings.onceKey).update(enrolment.secret).update(`${what} ${accountId}`);
  return `totp.${digest.digest('base64url')}`;
}

async function confirmedRecord(settings: Settings, accountId: string): Promise<TotpRecord | undefined> {
  const record = isAccountId(accountId) ? await settings.store.find(accountId) : undefined;
  return record?.confirmed === true ? record : undefined;
}

function hashes(settings: Settings, accountId: string, codes: readonly string[]): readonly string[] {
  return codes.map((code) => recoveryHash(settings.recoveryKey, accountId, code));
}

function refused(accountId: unknown, factor: 'totp' | 'recovery_code', reason: string, caller: Caller): undefined {
  const whom = isAccountId(accountId) && { accountId };
  publishAudit({ type: 'factor.failed', ...whom, factor, reason, ...originOf(caller) });
  return undefined;
}
