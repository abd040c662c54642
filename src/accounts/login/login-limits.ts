import { createHash } from 'node:crypto';
import { type Caller, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Settings } from '../settings.ts';
import { usernameKey } from '../username.ts';
import { addressKey } from './address-key.ts';
import type { Limit } from './limiter.ts';

const ADDRESS_FACTOR = 10;
/** Longer than any username, so that only names that nobody has share a counter. */
const COUNTED_LENGTH = 256;

/**
 * The two limits of a login attempt. The address comes first: a caller who has used up the limit of
 * an address does not reach the counters of accounts, not even for a moment.
 */
export function loginLimits(username: string, caller: Caller, settings: Settings): readonly Limit[] {
  const { ip } = caller;
  const { loginMaxFailures, loginWindowSeconds } = settings;
  const windowMs = loginWindowSeconds * 1_000;
  const limit = (scope: 'account' | 'address', of: string, max: number): Limit => ({
    key: `login:${scope}:${of}`,
    max,
    windowMs,
    onExceeded: () => publishAudit({ type: 'login.limited', scope, ...originOf(caller) }),
  });
  const account = limit('account', accountKey(username), loginMaxFailures);
  if (ip === undefined) return [account];
  return [limit('address', addressKey(ip), loginMaxFailures * ADDRESS_FACTOR), account];
}

/** Of one length for every name, and not the name: people type passwords into the wrong field. */
function accountKey(username: string): string {
  return createHash('sha256')
    .update(usernameKey(username.slice(0, COUNTED_LENGTH)))
    .digest('base64url');
}
