import { type Caller, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { CodeRecord } from '../codes/code-store.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Settings } from '../settings.ts';

/** A code that comes again, and the session that it gave or is about to give. */
export interface ReplayedCode {
  readonly hash: string;
  readonly record: Pick<CodeRecord, 'accountId' | 'clientId'>;
  readonly sessionId: string;
}

/**
 * Ends what a code gave when it comes again, whoever brings it: it has leaked (RFC 9700 section 4.5.3). The mark is
 * left before the session is ended, because the session may be about to start; and the session is ended even when
 * no mark could be left.
 */
export function createCodeReplay({
  codes,
  accounts,
  clock,
  maxVerifierFailures,
}: Settings): (code: ReplayedCode, caller: Caller) => Promise<never> {
  return async ({ hash, record, sessionId }, caller) => {
    const { accountId, clientId } = record;
    publishAudit({ type: 'code.replayed', accountId, clientId, sessionId, ...originOf(caller) });
    try {
      await codes.take(hash, sessionId, maxVerifierFailures, clock());
    } finally {
      await accounts.grants.end({ id: sessionId, accountId }, 'code_replayed', caller);
    }
    throw new OAuthError('invalid_grant');
  };
}
