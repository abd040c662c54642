import { createHash } from 'node:crypto';
import type { Grants } from 'doorward/accounts';
import { describe, expect, it } from 'vitest';
import { createWorld, PASSWORD, untyped } from '../accounts/fixture.ts';
import {
  CHALLENGE,
  createAuthorizeWorld,
  ISSUER,
  logIn,
  queryOf,
  START,
  type Visitor,
} from './support/authorize-world.ts';

const TRUSTED = { clients: [{ consent: 'implied' as const }] };
const ALLOW = { action: 'allow' };

/** Logs in and allows what is asked. */
async function consented(visitor: Visitor, asked: Readonly<Record<string, string>> = {}) {
  return visitor.submit(await logIn(visitor, asked), ALLOW);
}

describe('the consent page', () => {
  it('OAU-30 comes once for what a client asks, and again for more', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const page = await logIn(visitor);
    expect(page).toMatchObject({
      status: 200,
      view: {
        kind: 'consent',
        username: 'ada',
        clientName: 'Example <App>',
        scopes: [
          { name: 'openid', description: 'Know who you are' },
          { name: 'profile', description: 'See your username' },
        ],
      },
    });
    expect(world.codes.size).toBe(0);
    expect((await visitor.submit(page, ALLOW)).redirect).toHaveProperty('code');
    expect((await visitor.get()).redirect).toHaveProperty('code');
    expect((await visitor.get({ scope: 'openid' })).redirect).toHaveProperty('code');
    expect((await visitor.get({ scope: 'openid create' })).view).toMatchObject({ kind: 'consent' });
    const silent = await visitor.get({ scope: 'openid create', prompt: 'none' });
    expect(silent.redirect).toMatchObject({ error: 'consent_required', iss: ISSUER });
    expect((await visitor.get({ prompt: 'consent' })).view).toMatchObject({ kind: 'consent' });
    expect(world.audit).toContainEqual(
      expect.objectContaining({ type: 'consent.granted', clientId: 'spa', scopes: ['openid', 'profile'] }),
    );
  });

  it('asks again once the consent was taken back', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    await consented(visitor);
    world.consents.clear();
    expect((await visitor.get()).view).toMatchObject({ kind: 'consent' });
  });

  it('is for one account: what ada allows is not allowed by eve', async () => {
    const world = await createAuthorizeWorld();
    await world.accounts.register('eve');
    await consented(world.visitor());
    const eve = world.visitor();
    const page = await eve.submit(await eve.get(), { username: 'eve', password: 'a good passphrase', action: 'login' });
    expect(page.view).toMatchObject({ kind: 'consent', username: 'eve' });
  });

  it.each([['deny'], ['Allow'], [undefined]])('OAU-07 %s is no: access_denied, nothing remembered', async (action) => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const answer = await visitor.submit(await logIn(visitor), { action });
    expect(answer.redirect).toMatchObject({ error: 'access_denied', state: 'af0ifjsldkj', iss: ISSUER });
    expect(world.consents.size + world.codes.size).toBe(0);
  });

  it('leads to the login of another account, and only that ends this one', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const page = await logIn(visitor);
    expect((await visitor.submit(page, { action: 'switch' })).view).toMatchObject({ kind: 'login', username: '' });
    expect((await visitor.submit(page, ALLOW)).redirect).toHaveProperty('code');
  });

  it('does not ask for a login again that was good when it was shown', async () => {
    const world = await createAuthorizeWorld();
    for (const asked of [{ prompt: 'login' }, { prompt: 'login consent' }, { max_age: '0' }, { acr_values: 'aal1' }]) {
      world.consents.clear();
      expect((await consented(world.visitor(), asked)).redirect).toHaveProperty('code');
    }
  });

  it('is worth nothing for another login, other scopes, or another request', async () => {
    const world = await createAuthorizeWorld();
    const [visitor, other] = [world.visitor(), world.visitor()];
    const page = await logIn(visitor);
    const foreign = await logIn(other);
    const more = await visitor.get({ scope: 'openid profile create' });
    const csrf = (answer: typeof page): string =>
      (answer.view?.kind === 'consent' && answer.view.form.hidden.csrf) || '';
    for (const token of [csrf(foreign), csrf(page)]) {
      const answer = await visitor.submit(more, { ...ALLOW, csrf: token });
      expect(answer).toMatchObject({ status: 403, view: { kind: 'consent', problem: 'expired' } });
    }
    const url = `${ISSUER}/authorize?${queryOf({ state: 'other' })}`;
    const body = new URLSearchParams({ csrf: csrf(page), step: 'consent', action: 'allow' }).toString();
    expect(await visitor.post(url, body, { 'sec-fetch-site': 'same-origin' })).toMatchObject({ status: 403 });
    expect(world.consents.size + world.codes.size).toBe(0);
  });

  it('is worth nothing once the client would get more than was shown', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const page = await logIn(visitor, { scope: '' });
    const [client] = world.settings.clients.clients;
    Object.assign(client ?? {}, { scopes: ['openid', 'profile', 'create', 'email'] });
    expect(await visitor.submit(page, ALLOW)).toMatchObject({
      status: 403,
      view: { kind: 'consent', problem: 'expired' },
    });
    expect(world.consents.size + world.codes.size).toBe(0);
  });

  it('is worth nothing once the login has ended', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const page = await logIn(visitor);
    const grant = await world.accounts.accounts.grants.findBySessionToken(
      visitor.cookies.get('__Host-doorward_session'),
    );
    await world.accounts.accounts.revokeAllFor(grant?.session.accountId ?? '');
    expect(await visitor.submit(page, ALLOW)).toMatchObject({
      status: 403,
      view: { kind: 'login', problem: 'expired' },
    });
    expect(world.consents.size + world.codes.size).toBe(0);
  });
});

describe('a code', () => {
  it('is 256 random bits, kept by its SHA-256 with all that it stands for, and told without itself', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    const asked = { nonce: 'n-0S6_WzA2Mj', dpop_jkt: CHALLENGE, resource: 'https://api.example.org' };
    const code = (await logIn(visitor, asked)).redirect?.code ?? '';
    expect(code).toMatch(/^[\w-]{43}$/);
    const [[hash, kept] = []] = [...world.codes];
    expect(hash).toBe(createHash('sha256').update(code).digest('base64url'));
    expect(kept?.record).toMatchObject({
      ...{ clientId: 'spa', codeChallenge: CHALLENGE, nonce: 'n-0S6_WzA2Mj', dpopThumbprint: CHALLENGE },
      ...{ scopes: ['openid', 'profile'], audience: ['https://api.example.org'], issuedAt: START },
    });
    expect(kept?.keepUntil).toBe(START + 60_000 + 600_000);
    expect(JSON.stringify([...world.codes])).not.toContain(code);
    expect(JSON.stringify(world.audit)).not.toContain(code);
    expect(world.audit.at(-1)).toMatchObject({ type: 'code.issued', clientId: 'spa' });
  });

  it('DOS-12 is not given more often than the limit to one account and client, whatever comes in parallel', async () => {
    const second = { id: 'second', consent: 'implied' as const };
    const world = await createAuthorizeWorld({
      clients: [...TRUSTED.clients, second],
      settings: { codesPerMinute: 5 },
    });
    const visitor = world.visitor();
    await logIn(visitor);
    const answers = await Promise.all(Array.from({ length: 50 }, () => visitor.get()));
    expect(answers.filter(({ redirect }) => redirect?.error === 'temporarily_unavailable')).toHaveLength(46);
    expect(world.codes.size).toBe(5);
    expect((await visitor.get({ client_id: 'second' })).redirect).toHaveProperty('code');
    world.accounts.time.now += 60_000;
    expect((await visitor.get()).redirect).toHaveProperty('code');
  });

  it('is as old as what is known of the login: who ends all logins while it is made ends it', async () => {
    const { accounts, time } = createWorld();
    await accounts.register({ username: 'ada', password: PASSWORD, email: 'ada@example.org' });
    const grants: Grants = {
      ...accounts.grants,
      async findBySessionToken(token) {
        const grant = await accounts.grants.findBySessionToken(token);
        time.now += 5_000;
        return grant;
      },
    };
    const world = await createAuthorizeWorld({
      ...TRUSTED,
      settings: { accounts: { ...accounts, grants }, clock: () => time.now },
    });
    expect((await logIn(world.visitor())).redirect).toHaveProperty('code');
    expect([...world.codes.values()][0]?.record).toMatchObject({ issuedAt: START, expiresAt: START + 60_000 });
  });
});

describe('a failure of a store', () => {
  const fails = async (): Promise<never> => {
    throw new Error('a secret of the store');
  };

  it.each(['codes', 'limits', 'consents'] as const)(
    'OAU-07 of %s is told by a redirect, without a cause',
    async (name) => {
      const world = await createAuthorizeWorld({
        settings: { [name]: untyped({ put: fails, hit: fails, find: fails, grant: fails }) },
      });
      const visitor = world.visitor();
      const answer = await logIn(visitor);
      const told = answer.view?.kind === 'consent' ? await visitor.submit(answer, ALLOW) : answer;
      expect(told.redirect).toEqual({
        ...{ error: 'server_error', error_description: 'The server could not answer' },
        ...{ state: 'af0ifjsldkj', iss: ISSUER },
      });
      expect(world.codes.size).toBe(0);
      expect(world.errors).toHaveLength(1);
    },
  );

  it.each([
    [
      'throws',
      () => {
        throw new Error('no template');
      },
    ],
    ['never ends', () => new Promise<never>(() => undefined)],
  ])('of the pages that %s is told the client, or in plain text where there is none', async (_, page) => {
    const world = await createAuthorizeWorld({ settings: { page: untyped(page), storeTimeoutMs: 20 } });
    const known = await world.visitor().get();
    expect(known.redirect).toMatchObject({ error: 'server_error', iss: ISSUER });
    const unknown = await world.visitor().get({ client_id: 'nobody' });
    expect(unknown.status).toBe(400);
    expect(unknown.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(world.errors).toHaveLength(2);
  });
});
