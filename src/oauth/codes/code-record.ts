import { flag, malformed, optionalText, seconds, text, textList, time } from '../../accounts/record.ts';
import { ownProperty } from '../../core/own-property.ts';
import { isCodeChallenge } from '../pkce.ts';
import type { CodeRecord, CodeState, TakenCode } from './code-store.ts';

/**
 * Makes a code of what a store returned, by own properties of the right types only. `null` counts as absent, as
 * databases have it.
 *
 * @returns `undefined` when there is none.
 * @throws an `Error` naming the first property that is wrong, never its value.
 */
export function readCodeState(state: unknown): CodeState | undefined {
  if (state === undefined || state === null) return undefined;
  const takenBy = optionalText(state, 'takenBy');
  const failures = ownProperty(state, 'failures');
  if (!Number.isSafeInteger(failures) || Number(failures) < 0) malformed('failures');
  return Object.freeze({
    record: readCodeRecord(ownProperty(state, 'record')),
    ...(takenBy !== undefined && { takenBy }),
    replayed: flag(state, 'replayed'),
    failures: Number(failures),
  });
}

function readCodeRecord(record: unknown): CodeRecord {
  const codeChallenge = text(record, 'codeChallenge');
  // Any other challenge could be met by nothing, or by something else.
  if (!isCodeChallenge(codeChallenge)) malformed('codeChallenge');
  const nonce = optionalText(record, 'nonce');
  const dpopThumbprint = optionalText(record, 'dpopThumbprint');
  return Object.freeze({
    clientId: text(record, 'clientId'),
    accountId: text(record, 'accountId'),
    redirectUri: text(record, 'redirectUri'),
    codeChallenge,
    scopes: textList(record, 'scopes'),
    audience: textList(record, 'audience'),
    ...(nonce !== undefined && { nonce }),
    authTime: seconds(record, 'authTime'),
    amr: textList(record, 'amr'),
    acr: text(record, 'acr'),
    ...(dpopThumbprint !== undefined && { dpopThumbprint }),
    loginSessionId: text(record, 'loginSessionId'),
    issuedAt: time(record, 'issuedAt'),
    expiresAt: time(record, 'expiresAt'),
  });
}

/** @throws an `Error` for whatever is not exactly one of the three answers. */
export function readTakenCode(answer: unknown): TakenCode {
  const kind = text(answer, 'kind');
  if (kind === 'taken' || kind === 'gone') return { kind };
  return kind === 'replayed' ? { kind, sessionId: text(answer, 'sessionId') } : malformed('kind');
}
