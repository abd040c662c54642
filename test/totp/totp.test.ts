import { readFileSync } from 'node:fs';
import { isDoorwardError } from 'doorward';
import { createMemoryOnceStore, createMemoryTotpStore } from 'doorward/stores/memory';
import { createTotp, type TotpStore } from 'doorward/totp';
import { describe, expect, it } from 'vitest';
import { matchingStep } from '../../src/totp/time-step.ts';
import { refusedField } from '../tokens/refused-field.ts';
import { codeOf, createWorld, fromBase32, SEAL_KEY, STEP } from './app.ts';
import { eventsOf } from './audit.ts';

interface Vectors {
  readonly rfc6238_B_sha1: { readonly secret: string; readonly codes: Readonly<Record<string, string>> };
}
const { rfc6238_B_sha1: vectors } = JSON.parse(readFileSync('test/fixtures/rfc/vectors.json', 'utf8')) as Vectors;

async function codeOfError(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => 'no error',
    (error: unknown) => (isDoorwardError(error) ? error.code : error),
  );
}

describe('codes', () => {
  // Six digits are the last six of the eight that the RFC prints.
  it.each(Object.entries(vectors.codes))('RFC 6238 appendix B at %s seconds', (seconds, eight) => {
    const now = Number(seconds) * 1_000;
    const secret = Buffer.from(vectors.secret);
    expect(matchingStep(secret, eight.slice(2), now, 0)).toBe(Math.floor(now / STEP));
    expect(codeOf(secret, now)).toBe(eight.slice(2));
  });

  it.each([
    [0, [0]],
    [1, [-1, 0, 1]],
    [2, [-2, -1, 0, 1, 2]],
  ])('a drift of %i steps accepts %j', async (driftSteps, accepted) => {
    const { totp, enrolled } = createWorld({ driftSteps });
    const { code } = await enrolled('ada');
    for (const drift of [-4, -3, -2, -1, 0, 1, 2, 3, 4]) {
      const answer = await totp.verify('ada', code(drift));
      expect(answer, `${drift}`).toEqual(accepted.includes(drift) ? ['otp'] : undefined);
    }
  });

  it('are accepted as apps show them', async () => {
    const { totp, enrolled } = createWorld();
    const { code } = await enrolled('ada');
    expect(await totp.verify('ada', code().replace(/^.../, '$& '))).toEqual(['otp']);
  });

  it('work again in the same step after removing and enrolling anew', async () => {
    const { totp, waiting } = createWorld();
    expect(await totp.confirm('ada', (await waiting('ada'))())).toHaveLength(10);
    expect(await totp.remove('ada')).toBe(true);
    expect(await totp.isEnrolled('ada')).toBe(false);
    expect(await totp.confirm('ada', (await waiting('ada'))())).toHaveLength(10);
  });
});

describe('enrolling', () => {
  it('hands out 160 random bits and the same as an address', async () => {
    const { totp } = createWorld({ issuer: 'Example & Sons' });
    const first = await totp.enrol('ada', 'ada@example.org');
    const second = await totp.enrol('ada', 'ada@example.org');
    expect(fromBase32(first.secret)).toHaveLength(20);
    expect(second.secret).not.toBe(first.secret);
    const uri = new URL(first.uri);
    expect(uri.protocol + uri.host).toBe('otpauth:totp');
    expect(decodeURIComponent(uri.pathname)).toBe('/Example & Sons:ada@example.org');
    expect(uri.searchParams.get('secret')).toBe(first.secret);
    expect(uri.searchParams.get('issuer')).toBe('Example & Sons');
  });

  it('started over makes the first secret useless', async () => {
    const { totp, waiting } = createWorld();
    const first = await waiting('ada');
    const second = await waiting('ada');
    expect(await totp.confirm('ada', first())).toBeUndefined();
    expect(await totp.confirm('ada', second())).toHaveLength(10);
  });

  it('is one winner of many confirmations at once', async () => {
    const { totp, waiting } = createWorld();
    const code = await waiting('ada');
    const answers = await Promise.all(Array.from({ length: 20 }, () => totp.confirm('ada', code())));
    const won = answers.filter((answer) => answer !== undefined);
    expect(won).toHaveLength(1);
    expect(await totp.verify('ada', won[0]?.[0])).toEqual(['otp']);
  });

  it.each(['', 'a'.repeat(65), 'a\nb', 'a\0', '\ud800'])('refuses the name %j', async (name) => {
    expect(await codeOfError(createWorld().totp.enrol('ada', name))).toBe('INPUT_INVALID');
  });

  it('reports what happened', async () => {
    const { totp, enrolled } = createWorld();
    const events = await eventsOf('ada', async () => {
      const { recovery } = await enrolled('ada');
      await totp.verify('ada', recovery[0]);
      await totp.remove('ada');
      await totp.remove('ada');
    });
    expect(events).toEqual([
      { type: 'factor.enrolled', accountId: 'ada', factor: 'totp' },
      { type: 'recovery_code.used', accountId: 'ada', left: 9 },
      { type: 'factor.removed', accountId: 'ada', factor: 'totp' },
    ]);
  });
});

describe('recovery codes', () => {
  it('are ten different ones that can be read aloud', async () => {
    const { recovery } = await createWorld().enrolled('ada');
    expect(new Set(recovery).size).toBe(10);
    for (const code of recovery) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  });

  it('are read however they are typed', async () => {
    const { totp, enrolled } = createWorld();
    const { recovery } = await enrolled('ada');
    const spellings = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replaceAll('-', ''),
      (code: string) => ` ${code.replaceAll('-', ' ')} `,
      (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
    ];
    for (const [index, spell] of spellings.entries()) {
      expect(await totp.verify('ada', spell(recovery[index] ?? '')), `${index}`).toEqual(['otp']);
    }
  });

  it('are replaced only where there is a confirmed enrolment', async () => {
    const { totp, waiting } = createWorld();
    expect(await totp.replaceRecoveryCodes('ada')).toBeUndefined();
    await waiting('ada');
    expect(await totp.replaceRecoveryCodes('ada')).toBeUndefined();
    expect(await totp.status('ada')).toEqual({ confirmed: false, recoveryCodesLeft: 0 });
  });
});

describe('a store that fails', () => {
  const failures: readonly [string, () => Promise<never>][] = [
    ['rejects', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise<never>(() => undefined)],
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
  ];

  it.each(failures)('and %s is no answer, never "not enrolled"', async (_, fail) => {
    const broken = Object.fromEntries(Object.keys(createMemoryTotpStore()).map((name) => [name, fail]));
    const { totp } = createWorld({ store: broken as unknown as TotpStore, storeTimeoutMs: 20 });
    const calls = [
      totp.isEnrolled('ada'),
      totp.verify('ada', '123456'),
      totp.enrol('ada', 'ada'),
      totp.confirm('ada', '123456'),
      totp.replaceRecoveryCodes('ada'),
      totp.status('ada'),
      totp.remove('ada'),
    ];
    expect(new Set(await Promise.all(calls.map(codeOfError)))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
  });

  it.each(failures)('to remember used codes and %s lets nobody in', async (_, fail) => {
    const working = createWorld();
    const { code } = await working.enrolled('ada');
    const { totp, time } = createWorld({ store: working.store, once: { once: fail }, storeTimeoutMs: 20 });
    time.now = working.time.now;
    expect(await codeOfError(totp.verify('ada', code()))).toBe('SERVICE_UNAVAILABLE');
  });

  it.each([
    ['another account', { accountId: 'bob' }],
    ['a truth that is none', { confirmed: 'false' }],
    ['no recovery codes', { recoveryHashes: null }],
  ])('and returns %s is no answer', async (_, wrong) => {
    const good = { accountId: 'ada', sealedSecret: 'v1.', confirmed: true, recoveryHashes: [] };
    const store = { ...createMemoryTotpStore(), find: async () => ({ ...good, ...wrong }) } as unknown as TotpStore;
    expect(await codeOfError(createWorld({ store }).totp.isEnrolled('ada'))).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('options', () => {
  const good = { store: createMemoryTotpStore(), once: createMemoryOnceStore(), sealKey: SEAL_KEY, issuer: 'Example' };

  it.each<[string, Record<string, unknown>]>([
    ['store', { store: undefined }],
    ['once', { once: {} }],
    ['sealKey', { sealKey: SEAL_KEY.slice(1) }],
    ['sealKey', { sealKey: 'a'.repeat(32) }],
    ['sealKey', { sealKey: undefined }],
    ['issuer', { issuer: 'Example: Sons' }],
    ['issuer', { issuer: '' }],
    ['driftSteps', { driftSteps: 3 }],
    ['driftSteps', { driftSteps: -1 }],
    ['confirmSeconds', { confirmSeconds: 0 }],
    ['storeTimeoutMs', { storeTimeoutMs: Number.POSITIVE_INFINITY }],
    ['clock', { clock: 0 }],
    ['driftStep', { driftStep: 0 }],
  ])('%s is refused: %j', (field, change) => {
    expect(refusedField(() => createTotp({ ...good, ...change } as never))).toBe(field);
  });
});
