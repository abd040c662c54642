import { checkedFlag } from '../../core/guarded.ts';
import { ownProperty } from '../../core/own-property.ts';
import { malformed, optionalText, optionalTextList, seconds, text, textList, time } from '../record.ts';
import type { RefreshTokenOwner, Rotation, SessionRecord } from './session-store.ts';

/**
 * Makes a session of what a store returned, by own properties of the right types only. A grant that has lost its
 * client, its scopes or its audience is unusable: no guess about them is a safe one.
 *
 * @returns `undefined` when there is no record.
 * @throws an `Error` naming the first property that is wrong, never its value.
 */
export function readSessionRecord(record: unknown): SessionRecord | undefined {
  if (record === undefined || record === null) return undefined;
  const clientId = optionalText(record, 'clientId');
  const scopes = optionalTextList(record, 'scopes');
  const audience = optionalTextList(record, 'audience');
  const dpopThumbprint = optionalText(record, 'dpopThumbprint');
  const certificateThumbprint = optionalText(record, 'certificateThumbprint');
  if ((scopes === undefined) !== (audience === undefined)) malformed('scopes');
  if (scopes !== undefined && clientId === undefined) malformed('clientId');
  return Object.freeze({
    id: text(record, 'id'),
    accountId: text(record, 'accountId'),
    ...(clientId !== undefined && { clientId }),
    authTime: seconds(record, 'authTime'),
    amr: textList(record, 'amr'),
    acr: text(record, 'acr'),
    startedAt: time(record, 'startedAt'),
    endsAt: time(record, 'endsAt'),
    ...(scopes !== undefined && { scopes }),
    ...(audience !== undefined && { audience }),
    ...(dpopThumbprint !== undefined && { dpopThumbprint }),
    ...(certificateThumbprint !== undefined && { certificateThumbprint }),
  });
}

/** @returns `undefined` when there is none. @throws an `Error` for whatever is not exactly an owner. */
export function readRefreshTokenOwner(answer: unknown): RefreshTokenOwner | undefined {
  if (answer === undefined || answer === null) return undefined;
  const session = readSessionRecord(ownProperty(answer, 'session')) ?? malformed('session');
  return { session, usable: checkedFlag(ownProperty(answer, 'usable')) };
}

/** @throws an `Error` for whatever is not exactly one of the four answers. */
export function readRotation(answer: unknown): Rotation {
  const kind = text(answer, 'kind');
  if (kind === 'refused') return { kind };
  const session = readSessionRecord(ownProperty(answer, 'session')) ?? malformed('session');
  if (kind === 'rotated' || kind === 'reused') return { kind, session };
  return kind === 'repeated' ? { kind, session, sealedSuccessor: text(answer, 'sealedSuccessor') } : malformed('kind');
}
