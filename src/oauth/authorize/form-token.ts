import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { deriveSecret } from '../../tokens/index.ts';
import type { Settings } from '../settings.ts';

/** The forms of the authorization endpoint. */
export type FormStep = 'login' | 'second_factor' | 'consent';

/** What a form was made for; it is good for nothing else. */
export interface FormPurpose {
  readonly step: FormStep;
  readonly browserId: string;
  /** The query of the authorization request, as it came. */
  readonly query: string;
  /** The login that the page was made for; empty without one. */
  readonly sessionId: string;
  /** What the page asks consent to. */
  readonly scopes: readonly string[];
}

/** Proofs that a form which comes back is one that this server gave to this browser, for this request. */
export interface FormTokens {
  make(purpose: FormPurpose): string;
  isGood(token: string | undefined, purpose: FormPurpose): boolean;
}

/** Either way: a clock that was ahead and is set right does not make a form last longer. */
const LIFETIME_MS = 600_000;
const TOKEN = /^(\d{1,16})\.([A-Za-z0-9_-]{43})$/;

/** Makes the tokens that keep other sites from sending our forms: nothing has to be stored for them. */
export function createFormTokens({ secret, clock }: Pick<Settings, 'secret' | 'clock'>): FormTokens {
  const key = deriveSecret(secret, 'forms of the authorization endpoint');

  function seal({ step, browserId, query, sessionId, scopes }: FormPurpose, madeAt: number): Buffer {
    const digest = createHash('sha256').update(query).digest('base64url');
    const text = JSON.stringify([step, browserId, digest, sessionId, scopes, madeAt]);
    return createHmac('sha256', key).update(text).digest();
  }

  return {
    make(purpose) {
      const madeAt = Math.floor(clock());
      return `${madeAt}.${seal(purpose, madeAt).toString('base64url')}`;
    },
    isGood(token, purpose) {
      const [, time, seen] = TOKEN.exec(token ?? '') ?? [];
      if (time === undefined || seen === undefined) return false;
      const madeAt = Number(time);
      const isSealed = timingSafeEqual(Buffer.from(seen, 'base64url'), seal(purpose, madeAt));
      return isSealed && Math.abs(clock() - madeAt) < LIFETIME_MS;
    },
  };
}
