import type { RefreshTokenRecord, Rotation, RotationRequest, SessionRecord, SessionStore } from '../accounts/index.ts';
import { NOW, withoutNulls } from './parallel.ts';

/** How long after a swap the cases still get the same successor. Milliseconds. */
export const GRACE = 10_000;

/** A first-party login of Ada that lasts an hour. */
export function session(fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: 'session-1',
    accountId: 'id-ada',
    authTime: NOW / 1_000,
    amr: ['pwd'],
    acr: 'aal1',
    startedAt: NOW,
    endsAt: NOW + 3_600_000,
    ...fields,
  };
}

/** What Ada granted to the client `app`. */
export function grant(fields: Partial<SessionRecord> = {}): SessionRecord {
  const granted = { scopes: ['openid', 'create'], audience: ['https://api.example.org'] };
  return session({ clientId: 'app', ...granted, dpopThumbprint: 'key', ...fields });
}

export function refreshToken(hash: string, fields: Partial<RefreshTokenRecord> = {}): RefreshTokenRecord {
  return { hash, idleUntil: NOW + 1_800_000, ...fields };
}

/** Swaps the token `hash` for `next`, a second after the login. */
export function swap(hash: string, next: string, fields: Partial<RotationRequest> = {}): RotationRequest {
  return {
    hash,
    successor: refreshToken(next),
    sealedSuccessor: `sealed ${next}`,
    graceMs: GRACE,
    now: NOW + 1_000,
    ...fields,
  };
}

/** What became of a rotation, in one word. */
export async function outcome(rotation: Promise<Rotation>): Promise<Rotation['kind']> {
  return (await rotation).kind;
}

/** How often each outcome is among the rotations. */
export function tally(rotations: readonly Rotation[]): Readonly<Record<Rotation['kind'], number>> {
  const count = (kind: Rotation['kind']): number => rotations.filter((rotation) => rotation.kind === kind).length;
  return { rotated: count('rotated'), repeated: count('repeated'), reused: count('reused'), refused: count('refused') };
}

/** Whether the session is found, for a token that nobody has revoked. */
export async function isLive(store: SessionStore, id: string, now: number = NOW + 1_000): Promise<boolean> {
  return withoutNulls(await store.find(id, 'token', now)) !== undefined;
}
