import { type Caller, DoorwardError, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Settings } from '../settings.ts';
import type { Admission } from './limiter.ts';
import { checkFactors, enrolledFactors } from './second-factor-check.ts';

/** Somebody whose password was right, and what else was brought. */
export interface FactorAttempt {
  readonly accountId: string;
  /** The proofs, each under the field of its factor. */
  readonly proofs: unknown;
  /** Released unless a proof was wrong, or could not be judged in time: it may have been judged all the same. */
  readonly admission: Admission;
  readonly caller: Caller;
}

/** What was proved beside the password. */
export interface ProvedFactor {
  /** Empty where no factor is enrolled. */
  readonly amr: readonly string[];
  /**
   * Asked once more when the session is there: whoever takes the factor away that was proved, or enrols one where
   * there was none, and ends the account's sessions either finds this one or is seen here.
   */
  readonly stillHolds: () => Promise<boolean>;
}

/** A proof is needed, under one of these fields, and none is there. */
export interface MissingFactor {
  readonly fields: readonly string[];
}

/** @throws `AUTH_SECOND_FACTOR_REQUIRED` for a wrong proof. */
export type FactorStep = (attempt: FactorAttempt) => Promise<ProvedFactor | MissingFactor>;

export function isMissing(factor: ProvedFactor | MissingFactor): factor is MissingFactor {
  return 'fields' in factor;
}

export function createFactorStep(settings: Settings): FactorStep {
  return async ({ accountId, proofs, admission, caller }) => {
    const enrolled = await enrolledFactors(accountId, settings).catch(async (error: unknown) => {
      await admission.release();
      throw error;
    });
    const verdict = await checkFactors(accountId, proofs, enrolled, settings, caller);
    if (verdict.kind === 'wrong') throw refusedFactor('second_factor_wrong', accountId, caller);
    await admission.release();
    if (verdict.kind === 'missing') return { fields: enrolled.map(({ field }) => field) };
    const stillHolds = async (): Promise<boolean> => {
      const current = await enrolledFactors(accountId, settings);
      return verdict.kind === 'proved' ? current.includes(verdict.factor) : current.length === 0;
    };
    return { amr: verdict.kind === 'proved' ? verdict.amr : [], stillHolds };
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
