import type { Session } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { Claims } from '../../tokens/index.ts';
import type { Account } from '../ports.ts';
import type { Settings } from '../settings.ts';
import type { SessionRecord } from './session-store.ts';

/** A token, and in how many seconds it ends. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/** The key that a token is bound to (RFC 8705 section 3.1). */
export interface Confirmation {
  readonly 'x5t#S256': string;
}

/** What a login puts into its tokens, beside what the issuer adds. */
export interface LoginClaims {
  readonly sub: string;
  /** The account's id: a username registered again does not revive the tokens of its former holder. */
  readonly uid: string;
  readonly auth_time: number;
  readonly sid: string;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly cnf?: Confirmation;
  readonly email?: string;
}

/** The claims of the tokens of one session. */
export function claimsOf({ username, email }: Account, session: SessionRecord, includeEmail: boolean): LoginClaims {
  const { certificateThumbprint } = session;
  return {
    sub: username,
    uid: session.accountId,
    auth_time: session.authTime,
    sid: session.id,
    amr: session.amr,
    acr: session.acr,
    ...(certificateThumbprint !== undefined && { cnf: { 'x5t#S256': certificateThumbprint } }),
    ...(includeEmail && email !== undefined && { email }),
  };
}

/**
 * Issues a token that ends at `notAfter` at the latest.
 *
 * @param notAfter seconds since the epoch
 */
export function issueLoginToken({ issuer, clock }: Settings, claims: LoginClaims, notAfter: number): IssuedToken {
  const remaining = notAfter - Math.floor(clock() / 1_000);
  return {
    accessToken: issuer.issue({ ...claims, notAfter }),
    expiresInSeconds: Math.min(issuer.ttlSeconds, remaining),
  };
}

/** Whether a session is of an OAuth grant, whose tokens `doorward/oauth` signs, and not one of a login. */
export function isGrant({ scopes, audience }: SessionRecord): boolean {
  return scopes !== undefined || audience !== undefined;
}

/** When the last token of a session ends, in seconds since the epoch. */
export function endOf({ endsAt }: SessionRecord): number {
  return Math.floor(endsAt / 1_000);
}

/** @returns `undefined` when the token is not one of a login. */
export function readSession(claims: Claims): { readonly accountId: string; readonly session: Session } | undefined {
  const accountId = ownProperty(claims, 'uid');
  const id = ownProperty(claims, 'sid');
  const tokenId = ownProperty(claims, 'jti');
  const authTime = ownProperty(claims, 'auth_time');
  const amr = ownProperty(claims, 'amr');
  const acr = ownProperty(claims, 'acr');
  if (typeof accountId !== 'string' || typeof id !== 'string' || typeof tokenId !== 'string') return undefined;
  if (typeof authTime !== 'number' || !Number.isSafeInteger(authTime) || !isTextList(amr)) return undefined;
  if (typeof acr !== 'string') return undefined;
  return { accountId, session: { id, tokenId, authTime, expiresAt: claims.exp, amr, acr } };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
