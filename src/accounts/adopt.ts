import { createHash } from 'node:crypto';
import { type Authentication, type Caller, publishAudit, type Session } from '../core/index.ts';
import { originOf } from '../core/origin.ts';
import { ownProperty } from '../core/own-property.ts';
import { type Claims, isConfirmed } from '../tokens/index.ts';
import { createAddAccount } from './add-account.ts';
import { isEmail } from './email.ts';
import type { Account } from './ports.ts';
import { isSeconds } from './record.ts';
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
export function createAdopt(settings: Settings): Adopt {
  const { store, clock, ids, defaultRoles } = settings;
  const addAccount = createAddAccount(settings);

  async function accountOf(username: string, claims: Claims, caller: Caller): Promise<Account | undefined> {
    const known = await store.byUsernameKey(username);
    if (known !== undefined) return known;
    const email = verifiedEmail(claims);
    const account: Account = {
      id: ids(),
      username,
      usernameKey: username,
      ...(email !== undefined && { email }),
      passwordHash: NO_PASSWORD,
      roles: [...defaultRoles],
      disabled: false,
      createdAt: clock(),
    };
    // Of parallel first calls one adds the account; the others find it.
    return (await addAccount(account, caller)) ? account : store.byUsernameKey(username);
  }

  return async (claims, caller = {}) => {
    const refuse = (reason: string): Authentication => {
      publishAudit({ type: 'token.rejected', reason, ...originOf(caller) });
      return { ok: false, reason };
    };
    const [issuer, subject] = [ownProperty(claims, 'iss'), ownProperty(claims, 'sub')];
    if (!isName(issuer)) return refuse('issuer');
    if (!isName(subject)) return refuse('claims');
    // Nobody here checks a proof, so its scheme promises more than is kept (RFC 9449 section 7.1).
    if (caller.dpop !== undefined) return refuse('confirmation');
    if (!isConfirmed(claims, caller.certificate?.thumbprint)) return refuse('confirmation');
    const account = await accountOf(usernameOf(issuer, subject), claims, caller);
    if (account === undefined) return refuse('unknown_account');
    if (account.disabled) return refuse('disabled_account');
    return { ok: true, principal: { ...subjectOf(account), scopes: scopesOf(claims), session: sessionOf(claims) } };
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A `~` is in no name that anybody registers or logs in with. Lower case, and as long as a username may be shown. */
function usernameOf(issuer: string, subject: string): string {
  return `ext~${createHash('sha224')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')}`;
}

/** What is no address is left out: it must not keep its owner from having an account. */
function verifiedEmail(claims: Claims): string | undefined {
  const email = ownProperty(claims, 'email');
  const isVerified = ownProperty(claims, 'email_verified') === true;
  return isVerified && typeof email === 'string' && isEmail(email) ? email : undefined;
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
  const [jti, sid] = [ownProperty(claims, 'jti'), ownProperty(claims, 'sid')];
  const tokenId = typeof jti === 'string' ? jti : '';
  return {
    id: typeof sid === 'string' ? sid : tokenId,
    tokenId,
    authTime: isSeconds(authTime) ? authTime : 0,
    amr: Array.isArray(amr) ? amr.filter((method) => typeof method === 'string') : [],
    ...(typeof acr === 'string' && { acr }),
    expiresAt: claims.exp,
  };
}
