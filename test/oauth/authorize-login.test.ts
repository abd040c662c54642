import { DoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';
import {
  alwaysEnrolled,
  CALLBACK,
  createAuthorizeWorld,
  ISSUER,
  logIn,
  OTP,
  PASSWORD,
  START,
} from './support/authorize-world.ts';

const TRUSTED = { clients: [{ consent: 'implied' as const }] };
const GOOD = { username: 'ada', password: PASSWORD, action: 'login' };
const SESSION = '__Host-doorward_session';
const BROWSER = '__Host-doorward_browser';

describe('the login page', () => {
  it('OAU-30 is what a browser without a login gets: no code, and nothing of the request as markup', async () => {
    const world = await createAuthorizeWorld();
    const page = await world.visitor().get({ login_hint: '"><script>alert(1)</script>', state: '"><script>' });
    expect(page).toMatchObject({ status: 200, redirect: undefined, view: { kind: 'login' } });
    expect(page.text).not.toContain('<script');
    expect(page.text).toContain('Example &lt;App&gt;');
    expect(world.codes.size).toBe(0);
  });

  it('OAU-28 is framed by nobody, kept by nobody, and its cookie is of this host alone', async () => {
    const { headers } = await (await createAuthorizeWorld()).visitor().get();
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.org;");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-doorward_browser=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ]);
  });

  it('names its cookies without the prefix where there is no TLS', async () => {
    const world = await createAuthorizeWorld({ settings: { isSecure: false } });
    const visitor = world.visitor();
    await logIn(visitor);
    expect([...visitor.cookies.keys()]).toEqual(['doorward_browser', 'doorward_session']);
  });

  it('comes back with the name for a wrong password, with 429 for too many, and leads on with the right one', async () => {
    const world = await createAuthorizeWorld({ ...TRUSTED, accounts: { loginMaxFailures: 2 } });
    const visitor = world.visitor();
    const page = await visitor.get({ login_hint: 'bob' });
    expect(page.view).toMatchObject({ username: 'bob' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await visitor.submit(page, { ...GOOD, password: 'wrong' })).toMatchObject({
        status: 401,
        view: { kind: 'login', problem: 'invalid_credentials', username: 'ada' },
      });
    }
    const limited = await visitor.submit(page, GOOD);
    expect(limited).toMatchObject({ status: 429, view: { problem: 'too_many_requests' } });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(visitor.cookies.has(SESSION)).toBe(false);
    world.accounts.time.now += 900_000;
    expect((await logIn(visitor)).redirect).toHaveProperty('code');
  });

  it('tells that the server is busy, and who listens why', async () => {
    const cause = new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 1 });
    const world = await createAuthorizeWorld();
    const beginLogin = () => Promise.reject(cause);
    const broken = await createAuthorizeWorld({
      settings: { accounts: { ...world.accounts.accounts, beginLogin } },
    });
    const answer = await logIn(broken.visitor());
    expect(answer).toMatchObject({ status: 503, view: { kind: 'login', problem: 'unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(broken.errors).toEqual([cause]);
  });

  it('OAU-07 leads back with access_denied when it is cancelled', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    const answer = await visitor.submit(await visitor.get(), { action: 'cancel' });
    expect(answer.redirect).toMatchObject({ error: 'access_denied', state: 'af0ifjsldkj', iss: ISSUER });
  });
});

describe('a form that this server did not give to this browser for this request', () => {
  const foreign: [string, Readonly<Record<string, string | undefined>>, HeadersInit | undefined][] = [
    ['no token', { csrf: undefined }, undefined],
    ['a made-up token', { csrf: `${START}.${'A'.repeat(43)}` }, undefined],
    ['the token of another step', { step: 'consent', action: 'allow' }, undefined],
    ['an unknown step', { step: 'constructor' }, undefined],
    ['another origin', {}, { origin: 'https://evil.example' }],
    ['another site', {}, { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', {}, { 'sec-fetch-site': 'same-site' }],
  ];

  it.each(foreign)('ASVS 3.5.1 has no effect: %s', async (_, fields, headers) => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    const page = await visitor.get();
    const answer = await visitor.submit(page, { ...GOOD, ...fields }, headers);
    expect(answer).toMatchObject({ status: 403, redirect: undefined });
    expect(world.accounts.auditTypes()).not.toContain('login.succeeded');
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect(world.codes.size).toBe(0);
  });

  it('has no effect with the page of an attacker: of another browser, another request, or 10 minutes ago', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const [victim, attacker] = [world.visitor(), world.visitor()];
    const [own, planted, other] = [await victim.get(), await attacker.get(), await victim.get({ state: 'other' })];
    const csrf = (page: typeof own): string => (page.view?.kind === 'login' && page.view.form.hidden.csrf) || '';
    for (const token of [csrf(planted), csrf(other)]) {
      const answer = await victim.submit(own, { ...GOOD, csrf: token });
      expect(answer).toMatchObject({ status: 403, view: { kind: 'login', problem: 'expired' } });
    }
    world.accounts.time.now += 600_000;
    const late = await victim.submit(own, GOOD);
    expect(late).toMatchObject({ status: 403, view: { kind: 'login', problem: 'expired' } });
    expect((await victim.submit(late, GOOD)).redirect).toHaveProperty('code');
  });

  it('has no effect with a cookie that somebody planted beside the own one', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    const page = await visitor.get();
    const id = visitor.cookies.get(BROWSER) ?? '';
    visitor.cookies.set(BROWSER, `${id}; ${BROWSER}=${id}`);
    expect(await visitor.submit(page, GOOD)).toMatchObject({ status: 403 });
  });
});

describe('a login', () => {
  it('gets new cookies, ends the login before, and makes the forms of before worthless (fixation)', async () => {
    const world = await createAuthorizeWorld();
    const visitor = world.visitor();
    await logIn(visitor);
    const [browser, session] = [visitor.cookies.get(BROWSER), visitor.cookies.get(SESSION)];
    const before = await visitor.get({ prompt: 'login' });
    expect(before.view).toMatchObject({ kind: 'login' });
    await visitor.submit(before, GOOD);
    expect(visitor.cookies.get(BROWSER)).not.toBe(browser);
    expect(visitor.cookies.get(SESSION)).not.toBe(session);
    const { grants } = world.accounts.accounts;
    expect(await grants.findBySessionToken(session)).toBeUndefined();
    expect(await grants.findBySessionToken(visitor.cookies.get(SESSION))).toMatchObject({
      account: { username: 'ada' },
    });
    expect(await visitor.submit(before, GOOD)).toMatchObject({ status: 403, view: { problem: 'expired' } });
  });

  it('is of the account that logged in, whoever was there before', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const eve = await world.accounts.register('eve');
    const visitor = world.visitor();
    await logIn(visitor);
    const page = await visitor.get({ prompt: 'select_account' });
    await visitor.submit(page, { ...GOOD, username: 'eve' });
    expect([...world.codes.values()].at(-1)?.record).toMatchObject({ accountId: eve.id });
  });

  it('is no login any more once its account has ended it or is disabled', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    await logIn(visitor);
    expect((await visitor.get()).redirect).toHaveProperty('code');
    const accountId = [...world.codes.values()][0]?.record.accountId ?? '';
    await world.accounts.accounts.revokeAllFor(accountId);
    expect(await visitor.get()).toMatchObject({ status: 200, view: { kind: 'login' } });
    await logIn(visitor);
    await world.accounts.accounts.disable(accountId);
    expect(await visitor.get()).toMatchObject({ status: 200, view: { kind: 'login' } });
  });

  it.each([
    ['prompt=login', { prompt: 'login' }, 0],
    ['prompt=select_account', { prompt: 'select_account' }, 0],
    ['max_age=0', { max_age: '0' }, 0],
    ['max_age=60 after 61 seconds', { max_age: '60' }, 61],
    ['acr_values of another class', { acr_values: 'aal2 phr' }, 0],
  ])('is asked for anew by %s, and refused to prompt=none', async (_, asked, seconds) => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    await logIn(visitor);
    world.accounts.time.now += seconds * 1_000;
    expect((await visitor.get(asked)).view).toMatchObject({ kind: 'login' });
    if (!('prompt' in asked)) {
      expect((await visitor.get({ ...asked, prompt: 'none' })).redirect).toMatchObject({ error: 'login_required' });
    }
  });

  it('is enough within max_age, and for its class', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    await logIn(visitor);
    world.accounts.time.now += 60_000;
    expect((await visitor.get({ max_age: '60', acr_values: 'aal1', prompt: 'none' })).redirect).toHaveProperty('code');
    expect([...world.codes.values()].at(-1)?.record).toMatchObject({
      ...{ authTime: START / 1_000, acr: 'aal1', amr: ['pwd'], redirectUri: CALLBACK },
      ...{ issuedAt: START + 60_000, expiresAt: START + 120_000 },
    });
  });

  it('OAU-30 without one prompt=none is told login_required', async () => {
    const world = await createAuthorizeWorld();
    expect((await world.visitor().get({ prompt: 'none' })).redirect).toMatchObject({ error: 'login_required' });
  });

  it('that is still not of a class asked for is told, and kept', async () => {
    const world = await createAuthorizeWorld(TRUSTED);
    const visitor = world.visitor();
    const answer = await logIn(visitor, { acr_values: 'aal2' });
    expect(answer.redirect).toMatchObject({ error: 'unmet_authentication_requirements', iss: ISSUER });
    expect(answer.redirect).not.toHaveProperty('code');
    expect((await visitor.get({ prompt: 'none' })).redirect).toHaveProperty('code');
  });
});

describe('the page of the second factor', () => {
  const enrolled = { ...TRUSTED, accounts: { factors: [alwaysEnrolled] } };

  it('comes after the password, gives nothing before the proof, and a login of both after it', async () => {
    const world = await createAuthorizeWorld(enrolled);
    const visitor = world.visitor();
    const page = await logIn(visitor, { acr_values: 'aal2' });
    expect(page).toMatchObject({ status: 200, view: { kind: 'second_factor' } });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    const wrong = await visitor.submit(page, { otp: '000000', action: 'verify' });
    expect(wrong).toMatchObject({ status: 401, view: { kind: 'second_factor', problem: 'invalid_second_factor' } });
    expect((await visitor.submit(wrong, { otp: OTP, action: 'verify' })).redirect).toHaveProperty('code');
    expect([...world.codes.values()][0]?.record).toMatchObject({ amr: ['pwd', 'otp'], acr: 'aal2' });
  });

  it('that no form can ask for is told, and gives nothing', async () => {
    const passkey = { ...alwaysEnrolled, field: 'passkey' };
    const world = await createAuthorizeWorld({ ...TRUSTED, accounts: { factors: [passkey] } });
    const visitor = world.visitor();
    const page = await logIn(visitor);
    expect(page).toMatchObject({ status: 403, view: { kind: 'login', problem: 'unsupported_second_factor' } });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    const both = await createAuthorizeWorld({ ...TRUSTED, accounts: { factors: [passkey, alwaysEnrolled] } });
    expect(await logIn(both.visitor())).toMatchObject({ view: { kind: 'second_factor' } });
  });

  it('takes no ticket that was made up, or is too old: it begins anew', async () => {
    const world = await createAuthorizeWorld(enrolled);
    const visitor = world.visitor();
    const page = await logIn(visitor);
    const forged = await visitor.submit(page, { ticket: 'x', otp: OTP, action: 'verify' });
    expect(forged).toMatchObject({ status: 403, view: { kind: 'login', problem: 'expired' } });
    world.accounts.time.now += 301_000;
    const late = await visitor.submit(page, { otp: OTP, action: 'verify' });
    expect(late).toMatchObject({ status: 403, view: { kind: 'login', problem: 'expired' } });
    expect(visitor.cookies.has(SESSION)).toBe(false);
    expect(world.codes.size).toBe(0);
  });

  it('is not passed by the form of the consent page, nor by a request without a proof', async () => {
    const world = await createAuthorizeWorld({ accounts: { factors: [alwaysEnrolled] } });
    const visitor = world.visitor();
    const page = await logIn(visitor);
    expect(await visitor.submit(page, { step: 'consent', action: 'allow' })).toMatchObject({ status: 403 });
    expect(await visitor.submit(page, { action: 'verify' })).toMatchObject({ status: 401 });
    expect((await visitor.get()).view).toMatchObject({ kind: 'login' });
    expect(world.codes.size).toBe(0);
  });
});
