import { isDoorwardError } from '../../core/index.ts';
import { type Entered, isRefusal, type OperationAuth } from '../graphql/operation-auth.ts';
import { bearerOf } from './bearer-of.ts';
import { callerOf } from './options.ts';
import type { Visitor } from './visitor.ts';

const FORBIDDEN = 4403;
const TRY_AGAIN_LATER = 1013;

/**
 * Lets a socket in, by the payload of its `connection_init`. It is entered as an operation is, for as long as it is open.
 *
 * @returns whether it may stay.
 */
export async function connect(
  operationAuth: OperationAuth,
  visitor: Visitor,
  payload: Readonly<Record<string, unknown>> | undefined,
): Promise<boolean> {
  const presented = bearerOf(payload);
  const entered = await operationAuth.enter(presented, callerOf(visitor.caller));
  if (isRefusal(entered)) {
    if (entered.status === 503) visitor.end(TRY_AGAIN_LATER, 'Try again later');
    return false;
  }
  if (!visitor.hold(entered)) return false;
  visitor.presented = presented;
  visitor.principalId = entered.auth.principal?.id;
  endWithLogin(visitor, entered);
  return !visitor.isEnded();
}

/** Closes the socket when a login on it ends: with 4403, or with 1013 when nobody can tell whether it has. */
export function endWithLogin(visitor: Visitor, { auth: { signal } }: Entered): void {
  const end = (): void => {
    // Otherwise only this operation is over.
    if (!isDoorwardError(signal.reason)) return;
    if (signal.reason.status === 503) visitor.end(TRY_AGAIN_LATER, 'Try again later');
    else visitor.end(FORBIDDEN, 'Forbidden');
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
}
