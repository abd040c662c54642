import { createHash, randomBytes } from 'node:crypto';
import { type Authentication, type Caller, publishAudit, type Session } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Claims } from '../tokens/index.ts';
import { originOf } from './origin.ts';
import type { Account } from './ports.ts';
import { toPublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';
import { subjectOf } from './subject.ts';

export type Adopt = (claims: Claims, caller?: Caller) => Promise<Authentication>;

/** What no hasher recognises: an account of another issuer has no password here. */
const NO_PASSWORD = '!';

/**
 * Makes the way from the verified claims of another issuer to a principal. Issuer and subject together are the
 * identity (RFC 7519 section 4.1.2), so no two issuers can speak for one account, and none for an account that
 * was registered here. Scopes narrow; a token that names none has none.
 */
export function createAdopt({ store, clock, defaultRoles, onRegistered }: Settings): Adopt {
  async function create(id: string, email: string | undefined, caller: Caller): Promise<Account | undefined> {
    const username = `ext-${randomBytes(16).toString('hex')}`;
    const account: Account = {
      id,
      username,
      usernameKey: username,
      ...(email !== undefined && { email }),
      passwordHash: NO_PASSWORD,
      roles: [...defaultRoles],
      disabled: false,
      createdAt: clock(),
    };
    // Of parallel first calls one adds the account; the others find it.
    const isAdded = await store.create(account).catch(() => false);
    if (!isAdded) return store.byId(id);
    await onRegistered(toPublicAccount(account));
    publishAudit({ type: 'account.registered', accountId: id, username, ...originOf(caller) });
    return account;
  }

  return async (claims, caller = {}) => {
    const issuer = ownProperty(claims, 'iss');
    if (typeof issuer !== 'string' || issuer === '') return refuse('issuer', caller);
    const id = accountIdOf(issuer, claims.sub);
    const account = (await store.byId(id)) ?? (await create(id, verifiedEmail(claims), caller));
    if (account === undefined || account.disabled) {
      return refuse(account === undefined ? 'unknown_account' : 'disabled_account', caller);
    }
    return { ok: true, principal: { ...subjectOf(account), scopes: scopesOf(claims), session: sessionOf(claims) } };
  };
}

function accountIdOf(issuer: string, subject: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
  return `ext-${digest}`;
}

function verifiedEmail(claims: Claims): string | undefined {
  const email = ownProperty(claims, 'email');
  return typeof email === 'string' && ownProperty(claims, 'email_verified') === true ? email : undefined;
}

/** `scope` of RFC 8693 section 4.2. */
function scopesOf(claims: Claims): readonly string[] {
  const scope = ownProperty(claims, 'scope');
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
}

/** What the issuer does not tell is told as worst: a login at the beginning of time is never recent. */
function sessionOf(claims: Claims): Session {
  const [authTime, amr, acr] = [
    ownProperty(claims, 'auth_time'),
    ownProperty(claims, 'amr'),
    ownProperty(claims, 'acr'),
  ];
  const tokenId = claims.jti ?? '';
  const sid = ownProperty(claims, 'sid');
  return {
    id: typeof sid === 'string' ? sid : tokenId,
    tokenId,
    authTime: typeof authTime === 'number' ? authTime : 0,
    amr: Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : [],
    ...(typeof acr === 'string' && { acr }),
    expiresAt: claims.exp,
  };
}

function refuse(reason: string, caller: Caller): Authentication {
  publishAudit({ type: 'token.rejected', reason, ...originOf(caller) });
  return { ok: false, reason };
}
