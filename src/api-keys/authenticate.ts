import { timingSafeEqual } from 'node:crypto';
import {
  type Authentication,
  type Authenticator,
  type Caller,
  isScopeGranted,
  publishAudit,
  type Subject,
} from '../core/index.ts';
import { digestOf, parseKey } from './key-text.ts';
import { createNoteUse } from './note-use.ts';
import type { Settings } from './settings.ts';

/** What the secret of a key that does not exist is compared with. */
const NOBODY = Buffer.alloc(32).toString('base64url');

export function createAuthenticate({ store, subjectOf, prefix, clock }: Settings): Authenticator {
  const noteUse = createNoteUse(store);

  return async (token, caller = {}) => {
    // A key is bound to nothing that a proof could be about (RFC 9449 section 7.1).
    if (caller.dpop !== undefined) return refuse('confirmation', caller);
    const parts = parseKey(prefix, token);
    if (parts === undefined) return refuse('malformed', caller);
    const record = await store.find(parts.id);
    const isRight = timingSafeEqual(digestOf(parts.secret), Buffer.from(record?.hash ?? NOBODY, 'base64url'));
    if (record === undefined) return refuse('unknown', caller);
    if (!isRight) return refuse('wrong_secret', caller, record.id);
    const now = clock();
    // Also when the clock tells no time.
    if (record.expiresAt !== undefined && !(now < record.expiresAt)) return refuse('expired', caller, record.id);
    const subject = await subjectOf(record.accountId);
    if (!subject) return refuse('account', caller, record.id);
    noteUse(record, now);
    const { id, roles, attributes } = subject;
    return { ok: true, principal: { id, roles, attributes, scopes: scopesOf(record.scopes, subject) } };
  };
}

/** Scopes narrow: those of the key never bring back what the subject was not granted itself. */
function scopesOf(granted: readonly string[], subject: Subject): readonly string[] {
  return granted.filter((scope) => isScopeGranted(subject, scope));
}

/** The id of a key that does not exist is whatever somebody typed, and not told. */
function refuse(reason: string, { ip, requestId }: Caller, keyId?: string): Authentication {
  publishAudit({ type: 'api_key.rejected', reason, ip, requestId, ...(keyId !== undefined && { keyId }) });
  return { ok: false, reason };
}
