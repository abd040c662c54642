import { requireFactor, requireRecentAuth } from 'doorward';
import type { AccountStore } from 'doorward/accounts';
import { createApiKeys } from 'doorward/api-keys';
import { createMemoryAccountStore, createMemoryApiKeyStore } from 'doorward/stores/memory';
import type { Claims } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { certified, createWorld, outcome, PASSWORD, START, untyped, type World } from '../accounts/fixture.ts';

const NOW = START / 1_000;
const REAUTHENTICATION = expect.objectContaining({ code: 'AUTH_REAUTHENTICATION_REQUIRED' });

/** What a verifier hands on of a token of another issuer. */
const claims = (more: Record<string, unknown> = {}): Claims => ({
  iss: 'https://login.example.org',
  sub: 'johndoe',
  iat: NOW,
  exp: NOW + 600,
  jti: 'token-1',
  ...more,
});

async function adopted({ accounts }: World, more: Record<string, unknown> = {}) {
  const authentication = await accounts.adopt(claims(more));
  if (!authentication.ok) throw new Error(authentication.reason);
  return authentication.principal;
}

const storeWith = (faults: Partial<AccountStore>): AccountStore => ({ ...createMemoryAccountStore(), ...faults });
const attempt = ({ accounts }: World, more: Record<string, unknown> = {}) => accounts.adopt(claims(more));

describe('the identity of a subject of another issuer', () => {
  it('D6 an account that comes again after its removal is another one: nothing of the former revives', async () => {
    const world = createWorld();
    const apiKeys = createApiKeys({
      store: createMemoryApiKeyStore(),
      subjectOf: world.accounts.subject,
      scopes: ['read'],
    });
    const former = await adopted(world);
    const { key } = await apiKeys.create({ accountId: former.id, name: 'nightly', scopes: ['read'] });
    expect(await apiKeys.authenticate(key)).toMatchObject({ ok: true });
    await world.accounts.remove(former.id);
    expect((await adopted(world)).id).not.toBe(former.id);
    expect(await apiKeys.authenticate(key)).toMatchObject({ ok: false });
  });

  it('is issuer and subject together, whatever either of them holds', async () => {
    const world = createWorld();
    const pairs = [
      ['https://a', 'b'],
      ['https://a","b', 'b'],
      ['https://a', 'b","b'],
      ['https://a', 'b\ud800'],
      ['https://a', 'b\ufffd'],
      ['https://a', 'B'],
      ['https://A', 'b'],
    ];
    const ids = new Set<string>();
    for (const [iss, sub] of pairs) ids.add((await adopted(world, { iss, sub })).id);
    expect(ids.size).toBe(pairs.length);
    expect((await adopted(world, { iss: 'https://a', sub: 'b' })).id).toBe([...ids][0]);
  });

  it('nobody registers its username beside it, and no password logs in to it', async () => {
    const world = createWorld();
    const { id, attributes } = await adopted(world);
    const username = String(attributes.username);
    for (const spelling of [username, username.toUpperCase()]) {
      expect(await outcome(world.register(spelling))).toBe('INPUT_INVALID');
    }
    expect(await world.accounts.setPassword(id, PASSWORD)).toBe(true);
    expect(await outcome(world.login(username))).toBe('AUTH_INVALID_CREDENTIALS');
    expect(world.auditTypes()).not.toContain('credential.corrupt');
  });

  it('nobody registers the username of a subject before it comes', async () => {
    const foreseen = String((await adopted(createWorld())).attributes.username);
    const world = createWorld();
    await outcome(world.register(foreseen));
    expect(await attempt(world)).toMatchObject({ ok: true });
  });

  it.each([
    ['no issuer', { iss: undefined }],
    ['an empty issuer', { iss: '' }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: ['johndoe'] }],
  ])('needs both: %s is refused', async (_, more) => {
    const world = createWorld();
    expect(await attempt(world, more)).toMatchObject({ ok: false });
    expect(world.auditTypes()).toEqual(['token.rejected']);
  });

  it('inherited claims do not count', async () => {
    const inherited = untyped<Claims>(Object.create(claims()));
    expect(await createWorld().accounts.adopt(inherited)).toMatchObject({ ok: false });
  });

  it('many first calls at once make one account, and tell of it once', async () => {
    const told: string[] = [];
    const world = createWorld({ onRegistered: async ({ id }) => void told.push(id) });
    const principals = await Promise.all(Array.from({ length: 20 }, () => adopted(world)));
    expect(new Set(principals.map(({ id }) => id))).toEqual(new Set(told));
    expect(told).toHaveLength(1);
  });
});

describe('an adoption that fails half way', () => {
  it('leaves no account without its user: the next call tells of it again', async () => {
    let isDown = true;
    const told: string[] = [];
    const world = createWorld({
      onRegistered: async ({ id }) => {
        if (isDown) throw new Error('no room');
        told.push(id);
      },
    });
    expect(await outcome(attempt(world))).toBe('SERVICE_UNAVAILABLE');
    expect(world.audit).toEqual([]);
    isDown = false;
    const { id } = await adopted(world);
    expect(told).toEqual([id]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('connection refused'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('STO-12 is unavailable, not an unknown account, when adding an account %s', async (_, create) => {
    const world = createWorld({ store: storeWith({ create }), storeTimeoutMs: 20 });
    expect(await outcome(attempt(world))).toBe('SERVICE_UNAVAILABLE');
    expect(world.audit).toEqual([]);
  });
});

describe('claims of another issuer', () => {
  it.each([
    ['a line end', 'ada@example.org\nBcc: eve@example.org'],
    ['a NUL', 'ada@example.org\0'],
    ['half a surrogate pair', 'ada\ud800@example.org'],
    ['8 KiB', `${'a'.repeat(8_000)}@example.org`],
    ['no @', 'ada'],
  ])('an e-mail address with %s is none, and shuts nobody out', async (_, email) => {
    const store = storeWith({});
    const strict: AccountStore['create'] = async (account) => {
      if (/[\0\p{Surrogate}]/u.test(account.email ?? '')) throw new Error('invalid byte sequence');
      return store.create(account);
    };
    const world = createWorld({ store: { ...store, create: strict } });
    const { attributes } = await adopted(world, { email, email_verified: true });
    expect(attributes).not.toHaveProperty('email');
  });

  it.each([undefined, false, 'true', 1])('an e-mail address that is verified %j is not believed', async (verified) => {
    const { attributes } = await adopted(createWorld(), { email: 'ada@example.org', email_verified: verified });
    expect(attributes).not.toHaveProperty('email');
  });

  it('a bound token is good only from the holder of the certificate', async () => {
    const { accounts } = createWorld();
    const bound = claims({ cnf: { 'x5t#S256': 'thumb' } });
    expect(await accounts.adopt(bound)).toEqual({ ok: false, reason: 'confirmation' });
    expect(await accounts.adopt(bound, certified('other'))).toEqual({ ok: false, reason: 'confirmation' });
    expect(await accounts.adopt(bound, certified('thumb'))).toMatchObject({ ok: true });
    expect(await accounts.adopt(claims({ cnf: { jkt: 'key' } }), certified('thumb'))).toMatchObject({ ok: false });
  });

  it.each([undefined, null, 'now', `${NOW}`, Number.NaN, Number.POSITIVE_INFINITY, 1e300, NOW + 3_600, -NOW, [NOW]])(
    'a login at %j is never recent, and can be shown as a date',
    async (authTime) => {
      const principal = await adopted(createWorld(), { auth_time: authTime });
      expect(() => requireRecentAuth(principal, 900, START)).toThrow(REAUTHENTICATION);
      expect(new Date((principal.session?.authTime ?? Number.NaN) * 1_000).toISOString()).toMatch(/Z$/);
    },
  );

  it.each([undefined, null, 2, ['aal2'], { toString: () => 'aal2' }, ''])('a class of %j is none', async (acr) => {
    const principal = await adopted(createWorld(), { acr, amr: ['mfa', 'pwd', 'otp'] });
    expect(() => requireFactor(principal, ['aal2'])).toThrow(REAUTHENTICATION);
  });

  it.each([undefined, null, ['create'], '', ' ', { create: true }])('scopes of %j are none at all', async (scope) => {
    expect((await adopted(createWorld(), { scope, scopes: ['create'], scp: ['create'] })).scopes).toEqual([]);
  });
});
