import type { Caller } from '../../core/index.ts';
import type { Settings } from '../settings.ts';
import type { Swap } from './rotation.ts';
import { claimsOf, endOf, type IssuedToken, issueLoginToken } from './session.ts';

export interface RotateOptions {
  /** The client that presents the token. */
  readonly clientId?: string;
  readonly caller?: Caller;
  /** Puts the account's e-mail address into the access token. @default false */
  readonly includeEmail?: boolean;
}

/** A new access token, and the refresh token that takes the place of the presented one. */
export interface Rotated extends IssuedToken {
  readonly refreshToken: string;
  readonly sessionId: string;
}

export type Rotate = (refreshToken: string, options?: RotateOptions) => Promise<Rotated>;

/** Swaps the refresh token of a login. One of an OAuth grant gets no token here: ours are narrowed by no scope. */
export function createRotate(settings: Settings, swap: Swap): Rotate {
  return async (token, { clientId, caller, includeEmail } = {}) => {
    const { session, account, refreshToken } = await swap(token, { clientId, caller, isGrant: false });
    const issued = issueLoginToken(settings, claimsOf(account, session, includeEmail === true), endOf(session));
    return { ...issued, refreshToken, sessionId: session.id };
  };
}
