import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newPasswordProblem, type PasswordCheck, passwordProblem } from 'doorward/passwords';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const GOOD = 'a good passphrase';

describe('the rule `check` for new passwords', () => {
  it('is asked with the password and the username, and its answer is the problem', async () => {
    const asked: unknown[] = [];
    const check: PasswordCheck = async (password, about) => {
      asked.push([password, about]);
      return 'appears in a breach';
    };
    expect(await newPasswordProblem(GOOD, { check, username: 'ada' })).toBe('appears in a breach');
    expect(await newPasswordProblem(GOOD, { check })).toBe('appears in a breach');
    expect(asked).toEqual([
      [GOOD, { username: 'ada' }],
      [GOOD, {}],
    ]);
  });

  it('may answer at once, and undefined means that nothing is wrong', async () => {
    expect(await newPasswordProblem(GOOD, { check: () => undefined })).toBeUndefined();
    expect(await newPasswordProblem(GOOD, { check: () => 'too boring' })).toBe('too boring');
  });

  it('is not asked about what other rules refuse', async () => {
    const check: PasswordCheck = () => expect.unreachable();
    expect(await newPasswordProblem('1234567', { check })).toBe('must have at least 8 characters');
    expect(await newPasswordProblem('lovelace', { check, username: 'LoveLace' })).toBe('must not be the username');
  });

  it('is not part of the rules that are decided at once', () => {
    expect(passwordProblem(GOOD, { check: () => expect.unreachable() })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise(() => {})],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers false', async () => false],
    ['answers an empty text', () => ''],
    ['answers an object', () => ({ breached: false })],
    ['is no function', 'check'],
  ])('fails closed when it %s', async (_, check) => {
    const rules = { check: check as PasswordCheck, checkTimeoutMs: 50 };
    await expect(newPasswordProblem(GOOD, rules)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });
});

describe('a breached-password list asked by k-anonymity', () => {
  const asked: string[] = [];
  const digest = (password: string) => createHash('sha1').update(password).digest('hex').toUpperCase();
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end(`${digest('a breached passphrase').slice(5)}:42\r\n${'0'.repeat(35)}:1`);
  });
  let base = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
  });
  afterAll(() => server.close().closeAllConnections());

  const check: PasswordCheck = async (password) => {
    const [prefix, rest] = [digest(password).slice(0, 5), digest(password).slice(5)];
    const response = await fetch(base + prefix, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error(`the list answered ${response.status}`);
    return (await response.text()).includes(`${rest}:`) ? 'appears in a known breach' : undefined;
  };

  it('learns five characters of the digest and no more', async () => {
    expect(await newPasswordProblem('a breached passphrase', { check })).toBe('appears in a known breach');
    expect(await newPasswordProblem(GOOD, { check })).toBeUndefined();
    expect(asked).toEqual([digest('a breached passphrase'), digest(GOOD)].map((hex) => `/range/${hex.slice(0, 5)}`));
  });
});
