import { createRefreshToken, hashRefreshToken } from './refresh-token.ts';

const PREFIX = 'session_';
const FORM = /^session_[\w-]{43}$/;

/** A new session token: 256 random bits. The prefix, which is hashed with it, sets it apart from every refresh token. */
export function createSessionToken(): string {
  return PREFIX + createRefreshToken();
}

/** Tells whether a text can be a session token, before anything is asked of a store. */
export function isSessionToken(token: unknown): token is string {
  return typeof token === 'string' && FORM.test(token);
}

/** What a store keeps of a session token, among the refresh tokens: nobody can present what has this hash as one. */
export function hashSessionToken(token: string): string {
  return hashRefreshToken(token);
}
