import type { AuditEvent, Caller } from 'doorward';
import {
  type Account,
  type Accounts,
  type AccountsOptions,
  createAccounts,
  type Login,
  type LoginOptions,
  type SessionRecord,
} from 'doorward/accounts';
import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { heardEvents } from '../audit/heard-events.ts';

export const PASSWORD = 'a good passphrase';
export const START: number = Date.UTC(2026, 0, 1, 12);

const bcrypt = createBcryptHasher({ cost: 4, workers: 2, queueLimit: 10_000 });
const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');

export interface World {
  readonly accounts: Accounts;
  readonly options: AccountsOptions;
  /** The time in epoch milliseconds, for tests to move. */
  readonly time: { now: number };
  /** Every evaluation of a hash, by kind. */
  readonly evaluations: { hash: number; verify: number };
  readonly audit: AuditEvent[];
  auditTypes(): string[];
  register(username?: string): ReturnType<Accounts['register']>;
  login(username?: string, password?: string, ip?: string): ReturnType<Accounts['login']>;
  /** Puts the session `sid` of an account into the store, as a login does. */
  start(accountId: string, fields?: Partial<SessionRecord>): Promise<boolean>;
  /** Signs any claims with the key of the accounts. */
  sign(claims: { sub: string; [claim: string]: unknown }): string;
}

/** Accounts over real parts: memory stores, bcrypt of cost 4, HS256 tokens. Only the clock is ours. */
export function createWorld(changes: Partial<AccountsOptions> = {}): World {
  const time = { now: START };
  const clock = () => time.now;
  const evaluations = { hash: 0, verify: 0 };
  const inner = changes.hasher ?? bcrypt;
  const hasher: PasswordHasher = {
    ...inner,
    hash(password) {
      evaluations.hash += 1;
      return inner.hash(password);
    },
    verify(password, stored) {
      evaluations.verify += 1;
      return inner.verify(password, stored);
    },
  };
  const issuer = createTokenIssuer({ key, clock });
  const options: AccountsOptions = {
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    issuer,
    verifier: createTokenVerifier({ keys: [key], clock }),
    roles: ['admin', 'editor', 'viewer'],
    clock,
    ...changes,
    hasher,
  };
  const audit = heardEvents();
  const accounts = createAccounts(options);
  return {
    accounts,
    options,
    time,
    evaluations,
    audit,
    auditTypes: () => audit.map(({ type }) => type),
    register: (username = 'ada') => accounts.register({ username, password: PASSWORD, email: 'ada@example.org' }),
    login: (username = 'ada', password = PASSWORD, ip) => accounts.login({ username, password }, { ip }),
    start: (accountId, fields) => options.sessions.start(storedSession({ accountId, ...fields })),
    sign: (claims) => issuer.issue(claims),
  };
}

/** What became of a promise, in one word: the code of its error, or `ok`. */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** A record as a store returns it. */
export function storedAccount(fields: Partial<Account> = {}): Account {
  return {
    id: 'id-ada',
    username: 'ada',
    usernameKey: 'ada',
    passwordHash: '',
    roles: ['viewer'],
    disabled: false,
    createdAt: START,
    ...fields,
  };
}

/** A session as a store returns it: half a day from the start on, after a password. */
export function storedSession(fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: 'sid',
    accountId: 'id-ada',
    authTime: START / 1_000,
    amr: ['pwd'],
    acr: 'aal1',
    startedAt: START,
    endsAt: START + 43_200_000,
    ...fields,
  };
}

/** The claims of a token of the session `sid`. */
export function loginClaims(uid: string): { sub: string; [claim: string]: unknown } {
  return { sub: 'ada', uid, auth_time: START / 1_000, sid: 'sid', amr: ['pwd'], acr: 'aal1' };
}

/** Hands a value of the wrong type to a typed function, as JavaScript callers can. */
export function untyped<T>(value: unknown): T {
  return value as T;
}

/** A login on one device, with a refresh token. */
export async function device(
  { accounts }: World,
  options: LoginOptions = {},
  caller: Caller = {},
): Promise<Login & { readonly refreshToken: string }> {
  const login = await accounts.login({ username: 'ada', password: PASSWORD }, caller, {
    ...options,
    refreshToken: true,
  });
  return { ...login, refreshToken: login.refreshToken ?? '' };
}

/** A caller that has proved that it holds the key of a client certificate. */
export function certified(thumbprint: string): Caller {
  return { certificate: { thumbprint, subject: {}, names: [], notAfter: START + 1e9 } };
}
