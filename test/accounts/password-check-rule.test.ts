import type { PasswordCheck } from 'doorward/passwords';
import { describe, expect, it } from 'vitest';
import { createWorld, outcome, PASSWORD, type World } from './fixture.ts';

const BREACHED = 'a breached passphrase';

function checkedWorld(changes: Parameters<typeof createWorld>[0] = {}) {
  const asked: string[] = [];
  let down = false;
  const check: PasswordCheck = async (password) => {
    asked.push(password);
    if (down) throw new Error('down');
    return password === BREACHED ? 'appears in a known breach' : undefined;
  };
  const world = createWorld({ ...changes, passwordRules: { check, checkTimeoutMs: 200 } });
  const goDown = (isDown: boolean): void => {
    down = isDown;
  };
  return { world, asked, goDown };
}

const register = (world: World, password: string, username = 'ada') =>
  world.accounts.register({ username, password, email: 'ada@example.org' }, { ip: '192.0.2.1' });

describe('the rule `check` of new passwords', () => {
  it('is asked before a registration is hashed, and not about what other rules refuse', async () => {
    const { world, asked } = checkedWorld();
    await expect(register(world, BREACHED)).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'password' });
    expect(await outcome(register(world, 'sunshine'))).toBe('INPUT_INVALID');
    expect(asked).toEqual([BREACHED]);
    expect(world.evaluations.hash).toBe(0);
    expect(await outcome(register(world, PASSWORD))).toBe('ok');
  });

  it('fails closed: a registration whose password could not be checked is a 503, and does not count', async () => {
    const { world, goDown } = checkedWorld({ registerMaxPerHour: 1 });
    goDown(true);
    for (let i = 0; i < 3; i += 1) {
      await expect(register(world, PASSWORD)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    }
    goDown(false);
    expect(await outcome(register(world, PASSWORD))).toBe('ok');
  });

  it('is not to be had without limit: what it refuses counts', async () => {
    const { world, asked } = checkedWorld({ registerMaxPerHour: 3 });
    const outcomes = [];
    for (let i = 0; i < 5; i += 1) outcomes.push(await outcome(register(world, BREACHED)));
    expect(outcomes.slice(3)).toEqual(['HTTP_TOO_MANY_REQUESTS', 'HTTP_TOO_MANY_REQUESTS']);
    expect(asked).toHaveLength(3);
  });

  it('holds for changed and for set passwords, and nobody has it asked without the current password', async () => {
    const { world, asked, goDown } = checkedWorld();
    const { id } = await world.register();
    asked.length = 0;
    const change = (current: string, next: string) => outcome(world.accounts.changePassword(id, { current, next }));
    expect(await change('wrong horse', BREACHED)).toBe('AUTH_INVALID_CREDENTIALS');
    expect(asked).toEqual([]);
    expect(await change(PASSWORD, BREACHED)).toBe('INPUT_INVALID');
    expect(await outcome(world.accounts.setPassword(id, BREACHED))).toBe('INPUT_INVALID');
    goDown(true);
    expect(await change(PASSWORD, 'another passphrase')).toBe('SERVICE_UNAVAILABLE');
    expect(await outcome(world.accounts.setPassword(id, 'another passphrase'))).toBe('SERVICE_UNAVAILABLE');
    goDown(false);
    expect(await outcome(world.login())).toBe('ok');
    expect(await change(PASSWORD, 'another passphrase')).toBe('ok');
    expect(await outcome(world.login('ada', 'another passphrase'))).toBe('ok');
  });

  it('is refused when it is no function', () => {
    const check = 'yes' as unknown as PasswordCheck;
    expect(() => createWorld({ passwordRules: { check } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'check' }),
    );
  });
});
