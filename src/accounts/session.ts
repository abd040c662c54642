import type { Session } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Claims } from '../tokens/index.ts';
import type { Settings } from './settings.ts';

/** What a login puts into its tokens, beside what the issuer adds. */
export interface LoginClaims {
  readonly sub: string;
  /** The account's id: a username registered again does not revive the tokens of its former holder. */
  readonly uid: string;
  readonly auth_time: number;
  readonly sid: string;
  readonly amr: readonly string[];
  readonly email?: string;
}

/** Issues a token that ends, like all of its login, `maxSessionSeconds` after `auth_time` at the latest. */
export function issueLoginToken(
  { issuer, maxSessionSeconds, clock }: Settings,
  claims: LoginClaims,
): { readonly accessToken: string; readonly expiresInSeconds: number } {
  const notAfter = claims.auth_time + maxSessionSeconds;
  const remaining = notAfter - Math.floor(clock() / 1_000);
  return {
    accessToken: issuer.issue({ ...claims, notAfter }),
    expiresInSeconds: Math.min(issuer.ttlSeconds, remaining),
  };
}

/** @returns `undefined` when the token is not one of a login. */
export function readSession(claims: Claims): { readonly accountId: string; readonly session: Session } | undefined {
  const accountId = ownProperty(claims, 'uid');
  const id = ownProperty(claims, 'sid');
  const tokenId = ownProperty(claims, 'jti');
  const authTime = ownProperty(claims, 'auth_time');
  const amr = ownProperty(claims, 'amr');
  if (typeof accountId !== 'string' || typeof id !== 'string' || typeof tokenId !== 'string') return undefined;
  if (typeof authTime !== 'number' || !Number.isSafeInteger(authTime) || !isTextList(amr)) return undefined;
  return { accountId, session: { id, tokenId, authTime, expiresAt: claims.exp, amr } };
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
