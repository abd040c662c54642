import { type KnownChallenge, type Purpose, readChallenge } from './challenge.ts';
import type { ClientData } from './client-response.ts';
import type { Settings } from './settings.ts';

/** What a ceremony is about. */
export interface Ceremony {
  readonly purpose: Purpose;
  /** '' when the credential is to tell it. */
  readonly accountId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Checks what a browser says about where and why it was asked (Web Authentication Level 3 sections 7.1
 * and 7.2), since the libraries leave out frames of other sites.
 *
 * @returns the challenge, or the reason why it is not good.
 */
export function checkClientData(
  settings: Settings,
  { purpose, accountId, now }: Ceremony,
  { type, challenge, origin, framed }: ClientData,
): KnownChallenge | string {
  if (type !== (purpose === 'register' ? 'webauthn.create' : 'webauthn.get')) return 'type';
  if (!settings.origins.includes(origin)) return 'origin';
  if (framed) return 'cross_origin';
  return readChallenge(settings.challengeKey, challenge, purpose, accountId, now) ?? 'challenge';
}
