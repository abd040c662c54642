import { type Caller, DoorwardError, publishAudit } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import type { Admission } from './limiter.ts';
import { checkFactors, enrolledFactors } from './second-factor-check.ts';
import type { Settings } from './settings.ts';

/** Somebody whose password was right, and what else was brought. */
export interface FactorAttempt {
  readonly accountId: string;
  /** The proofs, each under the field of its factor. */
  readonly proofs: unknown;
  /** Released unless a proof was wrong, or could not be judged in time: it may have been judged all the same. */
  readonly admission: Admission;
  readonly caller: Caller;
}

/** What the factors say to an attempt; a wrong proof is an error. */
export interface FactorAnswer {
  /** How many factors the account has enrolled. */
  readonly enrolled: number;
  /** What was proved beside the password; `undefined` where a proof is needed and missing. */
  readonly amr: readonly string[] | undefined;
}

/** @throws `AUTH_SECOND_FACTOR_REQUIRED` for a wrong proof. */
export type FactorStep = (attempt: FactorAttempt) => Promise<FactorAnswer>;

export function createFactorStep(settings: Settings): FactorStep {
  return async ({ accountId, proofs, admission, caller }) => {
    const enrolled = await enrolledFactors(accountId, settings).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    const verdict = await checkFactors(accountId, proofs, enrolled, settings, caller);
    if (verdict.kind === 'wrong') throw refusedFactor('second_factor_wrong', accountId, caller);
    await admission.release();
    return { enrolled: enrolled.length, amr: verdict.kind === 'proved' ? verdict.amr : undefined };
  };
}

/** Tells of a login that failed at its second factor. */
export function refusedFactor(
  reason: 'second_factor_missing' | 'second_factor_wrong',
  accountId: string,
  caller: Caller,
): DoorwardError {
  publishAudit({ type: 'login.failed', reason, accountId, ...originOf(caller) });
  return new DoorwardError('AUTH_SECOND_FACTOR_REQUIRED');
}
