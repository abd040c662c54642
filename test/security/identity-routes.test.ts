import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, type AuditEvent, type Authenticator } from 'doorward';
import { createMemoryPasskeyStore } from 'doorward/stores/memory';
import { withLatency } from 'doorward/testing';
import type { Claims } from 'doorward/tokens';
import { afterEach, describe, expect, it } from 'vitest';
import { type DeskOptions, type IdentityDesk, INFO, openIdentityDesk, PASSWORD } from '../http/identity-desk.ts';
import { createAuthenticator } from '../webauthn/authenticator.ts';
import { createWorld, ORIGIN } from '../webauthn/world.ts';

let open: IdentityDesk | undefined;
const openDesk = (options?: DeskOptions): IdentityDesk => {
  open = openIdentityDesk(options);
  return open;
};
afterEach(() => open?.close());

async function passkeyLogin(desk: IdentityDesk, authenticator: Awaited<ReturnType<IdentityDesk['withPasskey']>>) {
  const options = (await desk.call('POST', '/login/passkey/options', undefined, {})).body;
  return desk.call('POST', '/login/passkey', undefined, { passkey: authenticator.get(options) });
}

async function eventsOf(run: () => Promise<unknown>): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  const listen = (event: unknown): void => void events.push(event as AuditEvent);
  diagnostics.subscribe(AUDIT_CHANNEL, listen);
  await run().finally(() => diagnostics.unsubscribe(AUDIT_CHANNEL, listen));
  return events;
}

describe('logins that are under way', () => {
  it('a login with the password alone does not outlive the enrolment that it missed', async () => {
    let meanwhile = async (): Promise<void> => undefined;
    const desk = openDesk({
      accounts: ({ totp, passkeys }) => ({
        factors: [
          {
            ...totp,
            async isEnrolled(accountId) {
              const enrolled = await totp.isEnrolled(accountId);
              const run = meanwhile;
              meanwhile = async () => undefined;
              await run();
              return enrolled;
            },
          },
          passkeys,
        ],
      }),
    });
    const { token } = await desk.newcomer('ada');
    meanwhile = async () => void (await desk.withTotp(token));
    const late = await desk.call('POST', '/login', undefined, { username: 'ada', password: PASSWORD });
    expect((await desk.call('GET', '/account/totp', token)).body.confirmed).toBe(true);
    expect(late.status).toBe(401);
    expect((await desk.call('GET', '/account/sessions', token)).body.sessions).toHaveLength(1);
  });

  it('a login with a passkey does not outlive the passkey', async () => {
    let meanwhile = async (): Promise<void> => undefined;
    const desk = openDesk({
      routed: ({ passkeys }) => ({
        passkeys: {
          ...passkeys,
          async authenticate(...proof) {
            const login = await passkeys.authenticate(...proof);
            await meanwhile();
            return login;
          },
        },
      }),
    });
    const { token } = await desk.newcomer('ada');
    const lost = await desk.withPasskey(token);
    const strong = String((await passkeyLogin(desk, lost)).body.access_token);
    meanwhile = async () => {
      desk.clock.now += 1;
      expect((await desk.call('DELETE', `/account/passkeys/${lost.id}`, strong)).status).toBe(200);
      desk.clock.now += 1;
    };
    expect((await passkeyLogin(desk, lost)).status).toBe(401);
    expect((await desk.call('GET', '/account/sessions', strong)).body.sessions).toHaveLength(1);
  });
});

describe('passkeys', () => {
  it('a security key that was registered without a PIN never gets in alone: its thief sets the PIN', async () => {
    const desk = openDesk();
    const { token } = await desk.newcomer('ada');
    const stolen = await desk.withPasskey(token, { userVerified: false });
    const { status, body } = await passkeyLogin(desk, stolen);
    expect([status, body]).toEqual([401, { error: 'Invalid credentials' }]);

    const options = await desk.call('POST', '/login/passkey/options', undefined, {
      username: 'ada',
      password: PASSWORD,
    });
    const second = await desk.login('ada', { passkey: stolen.get(options.body) });
    const { sessions } = (await desk.call('GET', '/account/sessions', second)).body;
    expect(sessions.at(-1)).toMatchObject({ amr: ['pwd', 'hwk', 'user'], acr: 'aal2' });
  });

  it('an account gets twenty passkeys, however many are registered at once', async () => {
    const { passkeys } = createWorld({ store: withLatency(createMemoryPasskeyStore()) });
    const responses = await Promise.all(
      Array.from({ length: 30 }, async () =>
        createAuthenticator(ORIGIN).create(await passkeys.registrationOptions({ id: 'ada', username: 'ada' })),
      ),
    );
    const added = await Promise.all(responses.map((response) => passkeys.register('ada', response)));
    const kept = await passkeys.list('ada');
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toHaveLength(added.filter((passkey) => passkey !== undefined).length);
  });

  it('a passkey with the longest id that there may be can be removed like any other', async () => {
    const desk = openDesk();
    const { token } = await desk.newcomer('ada');
    const authenticator = await desk.withPasskey(token, {}, Buffer.alloc(1_023, 1));
    expect((await desk.call('GET', '/account/passkeys', token)).body.passkeys).toHaveLength(1);
    const strong = String((await passkeyLogin(desk, authenticator)).body.access_token);
    expect((await desk.call('DELETE', `/account/passkeys/${authenticator.id}`, strong)).status).toBe(200);
    expect((await desk.call('GET', '/account/passkeys', strong)).body.passkeys).toEqual([]);
  });
});

/** Routes that show or change how an account is protected. */
const KEEPING = [
  ['GET', '/account/sessions'],
  ['DELETE', '/account/sessions'],
  ['DELETE', '/account/sessions/x'],
  ['POST', '/account/password', { current: PASSWORD, next: 'another long passphrase' }],
  ['GET', '/account/totp'],
  ['GET', '/account/passkeys'],
  ['POST', '/account/totp'],
  ['POST', '/account/totp/confirm', { otp: '123456' }],
  ['POST', '/account/totp/recovery-codes'],
  ['DELETE', '/account/totp'],
  ['POST', '/account/passkeys/options'],
  ['POST', '/account/passkeys', {}],
  ['DELETE', '/account/passkeys/x'],
  ['GET', '/account/api-keys'],
  ['POST', '/account/api-keys', { name: 'all', scopes: ['create', 'delete'] }],
  ['POST', '/account/api-keys/x/replace'],
  ['DELETE', '/account/api-keys/x'],
] as const;

describe('what is not the owner at the keyboard', () => {
  it.each(KEEPING)('%s %s is closed to an API key', async (method, path, body?: unknown) => {
    const desk = openDesk();
    const { token } = await desk.newcomer('ada');
    const made = await desk.call('POST', '/account/api-keys', token, { name: 'nightly build', scopes: [] });
    expect([401, 403]).toContain((await desk.call(method, path, made.body.key, body)).status);
  });

  it.each(KEEPING)('%s %s is closed to a token that another issuer narrowed', async (method, path, body?: unknown) => {
    const foreign: DeskOptions['foreign'] = (accounts): Authenticator => {
      const seconds = 1_800_000_000;
      const claims = { iss: 'https://issuer.example', sub: 'ada', iat: seconds, exp: seconds + 600, scope: '' };
      const login = { auth_time: seconds, acr: 'aal2', amr: ['pwd', 'otp'], sid: 's-1' };
      return (_token, caller) => accounts.adopt({ ...claims, ...login } as Claims, caller);
    };
    const desk = openDesk({ foreign });
    expect((await desk.call('GET', '/me', 'foreign.access.token')).status).toBe(200);
    const { status, body: told } = await desk.call(method, path, 'foreign.access.token', body);
    expect([status, told]).toEqual([403, { error: 'Forbidden', message: 'Requires a login' }]);
  });

  it('an OAuth client gets at nothing that protects the account of its user', async () => {
    const desk = openDesk();
    const { id } = await desk.newcomer('ada');
    const login = await desk.accounts.loginVerified(id, { amr: ['pwd', 'otp'] }, INFO, { clientId: 'a-client' });
    for (const [method, path, body] of KEEPING) {
      const { status } = await desk.call(method, path, login.accessToken, body);
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });
});

describe('accounts apart', () => {
  it('one account reaches no factor, key or session of another', async () => {
    const desk = openDesk();
    const [ada, eve] = [await desk.newcomer('ada'), await desk.newcomer('eve')];
    const key = (await desk.call('POST', '/account/api-keys', ada.token, { name: 'hers', scopes: [] })).body;
    const authenticator = await desk.withPasskey(ada.token);
    const { sessions } = (await desk.call('GET', '/account/sessions', ada.token)).body;
    for (const path of [
      `/account/passkeys/${authenticator.id}`,
      `/account/api-keys/${key.apiKey.id}`,
      `/account/sessions/${sessions[0].id}`,
    ]) {
      expect((await desk.call('DELETE', path, eve.token)).status).toBe(404);
    }
    expect((await desk.call('POST', `/account/api-keys/${key.apiKey.id}/replace`, eve.token)).status).toBe(404);
    const hers = (await desk.call('POST', '/account/passkeys/options', eve.token)).body;
    const strong = String((await passkeyLogin(desk, authenticator)).body.access_token);
    const stolen = { passkey: authenticator.create(hers) };
    expect((await desk.call('POST', '/account/passkeys', eve.token, stolen)).status).toBe(400);
    expect((await desk.call('GET', '/account/passkeys', strong)).body.passkeys).toHaveLength(1);
    expect((await desk.call('GET', '/me', key.key)).body.username).toBe('ada');
  });

  it('a passkey of another account, or of a disabled one, is no login', async () => {
    const desk = openDesk();
    const [ada, eve] = [await desk.newcomer('ada'), await desk.newcomer('eve')];
    const [hers, own] = [await desk.withPasskey(ada.token), await desk.withPasskey(eve.token)];
    const options = (
      await desk.call('POST', '/login/passkey/options', undefined, { username: 'ada', password: PASSWORD })
    ).body;
    const credentials = { username: 'ada', password: PASSWORD, passkey: own.get(options) };
    expect((await desk.call('POST', '/login', undefined, credentials)).status).toBe(401);
    await desk.accounts.disable(ada.id);
    expect(await passkeyLogin(desk, hers)).toMatchObject({ status: 401, body: { error: 'Invalid credentials' } });
  });
});

describe('limits and oracles', () => {
  it('the password is guessed at /login/passkey/options under the limit of /login, and one limit for both', async () => {
    const desk = openDesk();
    await desk.withTotp((await desk.newcomer('ada')).token);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess += 1) {
      const path = guess % 2 === 0 ? '/login/passkey/options' : '/login';
      statuses.push((await desk.call('POST', path, undefined, { username: 'ada', password: `wrong ${guess}` })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  });

  it('tells nothing about factors before the password is right', async () => {
    const desk = openDesk();
    await desk.withTotp((await desk.newcomer('ada')).token);
    await desk.withPasskey((await desk.newcomer('eve')).token);
    await desk.newcomer('bob');
    const answers = new Set<string>();
    for (const username of ['ada', 'eve', 'bob', 'nobody']) {
      for (const path of ['/login', '/login/passkey/options']) {
        const proofs = { username, password: 'wrong', otp: '123456', passkey: {} };
        const { status, headers, body } = await desk.call('POST', path, undefined, proofs);
        answers.add(JSON.stringify([status, [...headers], body]));
      }
    }
    expect(answers.size).toBe(1);
  });

  it('a first code is tried five times', async () => {
    const desk = openDesk();
    const { token } = await desk.newcomer('ada');
    await desk.call('POST', '/account/totp', token);
    const events = await eventsOf(async () => {
      for (let guess = 0; guess < 7; guess += 1) {
        const { status } = await desk.call('POST', '/account/totp/confirm', token, { otp: `00000${guess}` });
        expect(status).toBe(400);
      }
    });
    const reasons = events.flatMap((event) => (event.type === 'factor.failed' ? [event.reason] : []));
    expect(reasons).toEqual([...Array(5).fill('wrong'), 'too_many_attempts', 'too_many_attempts']);
  });

  it('a recovery code that 20 logins present at once lets one in', async () => {
    const desk = openDesk({ accounts: () => ({ loginMaxFailures: 100 }) });
    const { recoveryCodes } = await desk.withTotp((await desk.newcomer('ada')).token);
    const credentials = { username: 'ada', password: PASSWORD, otp: recoveryCodes[0] };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => desk.call('POST', '/login', undefined, credentials)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('events', () => {
  it('tell from where a factor or a key was changed, used or tried', async () => {
    const desk = openDesk();
    const { token } = await desk.newcomer('ada');
    const events = await eventsOf(async () => {
      const made = (await desk.call('POST', '/account/api-keys', token, { name: 'one', scopes: [] })).body;
      const next = (await desk.call('POST', `/account/api-keys/${made.apiKey.id}/replace`, token)).body;
      await desk.call('DELETE', `/account/api-keys/${next.apiKey.id}`, token);
      const { code, recoveryCodes } = await desk.withTotp(token);
      await desk.call('DELETE', '/account/totp', token);
      await desk.login('ada', { otp: '000000' });
      const strong = await desk.login('ada', { otp: recoveryCodes[0] });
      await desk.call('POST', '/account/totp/recovery-codes', strong);
      await desk.call('POST', '/account/totp/confirm', strong, { otp: code() });
      await desk.withPasskey(strong);
      const { passkeys } = (await desk.call('GET', '/account/passkeys', strong)).body;
      await desk.call('POST', '/login/passkey', undefined, { passkey: {} });
      await desk.login('ada', { passkey: {} });
      await desk.call('DELETE', `/account/passkeys/${passkeys[0].id}`, strong);
      await desk.call('DELETE', '/account/totp', strong);
    });
    const types = events.map((event) => ('factor' in event ? `${event.type} ${event.factor}` : event.type));
    expect(new Set(types)).toEqual(
      new Set([
        ...['api_key.created', 'api_key.replaced', 'api_key.removed', 'recovery_code.used', 'step_up.required'],
        ...['factor.enrolled totp', 'factor.enrolled recovery_code', 'factor.enrolled passkey'],
        ...['factor.failed totp', 'factor.failed passkey', 'factor.removed totp', 'factor.removed passkey'],
        ...['login.succeeded', 'login.failed', 'token.issued', 'session.ended'],
      ]),
    );
    for (const event of events) expect(event).toMatchObject(INFO);
  });
});
