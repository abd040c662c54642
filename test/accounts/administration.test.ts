import { createAccounts } from 'doorward/accounts';
import { describe, expect, it } from 'vitest';
import { createWorld, outcome, untyped } from './fixture.ts';

describe('administering accounts', () => {
  it('sets roles, department and the disabled flag, and shows the account as it then is', async () => {
    const { accounts, register, audit } = createWorld();
    const account = await register();
    audit.length = 0;
    expect(await accounts.setRoles(account.id, ['editor', 'viewer', 'editor'])).toEqual({
      ...account,
      roles: ['editor', 'viewer'],
    });
    expect(await accounts.setDepartment(account.id, 'sales')).toMatchObject({ department: 'sales' });
    expect(await accounts.disable(account.id)).toMatchObject({ disabled: true, department: 'sales' });
    expect(await accounts.setDepartment(account.id, null)).not.toHaveProperty('department');
    expect(audit).toEqual(
      ['roles', 'department', 'disabled', 'department'].map((field) => ({
        type: 'account.updated',
        accountId: account.id,
        fields: [field],
      })),
    );
  });

  it.each([['Admin'], ['admin '], ['__proto__'], ['constructor'], ['toString'], [''], [7], [['admin']]])(
    'AZ-03 the role %j is not one of the known ones',
    async (role) => {
      const { accounts, register } = createWorld();
      const { id } = await register();
      const roles = untyped<string[]>(['viewer', role]);
      await expect(accounts.setRoles(id, roles)).rejects.toMatchObject({ code: 'INPUT_INVALID', field: 'roles' });
      expect((await accounts.byId(id))?.roles).toEqual(['viewer']);
    },
  );

  it.each(['admin', { admin: true }, null, undefined, { length: 1, 0: 'admin' }, new Array(1)])(
    'AZ-03 %j is no list of roles',
    async (roles) => {
      const { accounts, register } = createWorld();
      const { id } = await register();
      expect(await outcome(accounts.setRoles(id, untyped(roles)))).toBe('INPUT_INVALID');
    },
  );

  it('changes several properties in one step, or none when one is refused', async () => {
    const revoked: string[] = [];
    const { accounts, register, audit } = createWorld({ onRevoked: (id) => revoked.push(id) });
    const account = await register();
    audit.length = 0;
    for (const changes of [
      { disabled: true, roles: ['owner'] },
      { roles: ['admin'], disabled: 'yes' },
    ]) {
      expect(await outcome(accounts.update(account.id, changes))).toBe('INPUT_INVALID');
    }
    expect(await accounts.byId(account.id)).toEqual(account);
    expect([revoked, audit]).toEqual([[], []]);
    const changes = { roles: ['admin'], department: 'sales', disabled: true };
    expect(await accounts.update(account.id, changes)).toEqual({ ...account, ...changes });
    expect(revoked).toEqual([account.id]);
    expect(audit).toEqual([
      { type: 'account.updated', accountId: account.id, fields: ['roles', 'department', 'disabled'] },
    ]);
  });

  it('changes nothing but roles, department and the flag, and nothing by inheritance', async () => {
    const { accounts, register } = createWorld();
    const account = await register();
    const others = { id: 'x', username: 'eve', usernameKey: 'eve', passwordHash: 'x', email: 'x', createdAt: 0 };
    for (const changes of [others, Object.create({ roles: ['admin'] }), {}, null, 7, 'roles', ['admin']]) {
      expect(await accounts.update(account.id, untyped(changes))).toEqual(account);
    }
  });

  it('refuses a department and a flag of another shape', async () => {
    const { accounts, register } = createWorld();
    const { id } = await register();
    for (const department of ['', 'x'.repeat(129), 'a\nb', 'a\0', 7, undefined, ['sales']]) {
      expect(await outcome(accounts.setDepartment(id, untyped(department)))).toBe('INPUT_INVALID');
    }
    for (const disabled of ['false', 0, 1, null, undefined]) {
      expect(await outcome(accounts.update(id, { disabled: untyped(disabled) }))).toBe('INPUT_INVALID');
    }
  });

  it('answers undefined or false for an unknown id, also for one that no database takes', async () => {
    const { accounts, audit } = createWorld();
    for (const id of ['nobody', '', '__proto__', 'a\0b', '\ud800', 'x'.repeat(1_000_000), untyped<string>(7)]) {
      expect(await accounts.byId(id)).toBeUndefined();
      expect(await accounts.setRoles(id, [])).toBeUndefined();
      expect(await accounts.setDepartment(id, null)).toBeUndefined();
      expect(await accounts.disable(id)).toBeUndefined();
      expect(await accounts.remove(id)).toBe(false);
    }
    expect(audit).toEqual([]);
  });

  it('tells once that the tokens of a disabled or removed account have become worthless', async () => {
    const revoked: string[] = [];
    const { accounts, register, audit } = createWorld({ onRevoked: (id) => revoked.push(id) });
    const { id } = await register();
    await accounts.setRoles(id, []);
    await accounts.enable(id);
    expect(revoked).toEqual([]);
    await accounts.disable(id);
    expect(revoked).toEqual([id]);
    expect([await accounts.remove(id), await accounts.remove(id)]).toEqual([true, false]);
    expect(revoked).toEqual([id, id]);
    expect(audit.at(-1)).toEqual({ type: 'account.removed', accountId: id });
  });
});

describe('options of accounts', () => {
  it.each([
    ['loginMaxFailures', 0],
    ['loginMaxFailures', Number.POSITIVE_INFINITY],
    ['loginWindowSeconds', -1],
    ['registerMaxPerHour', 1.5],
    ['maxSessionSeconds', Number.NaN],
    ['refreshAbsoluteSeconds', 0],
    ['refreshIdleSeconds', 0.5],
    ['refreshGraceSeconds', -1],
    ['refreshGraceSeconds', 61],
    ['refreshGraceSeconds', '10'],
    ['sessions', undefined],
    ['sessions', {}],
    ['storeTimeoutMs', '3000'],
    ['storeTimeoutMs', 2 ** 31],
    ['defaultRoles', ['owner']],
    ['roles', ['viewer', '']],
    ['roles', 'viewer'],
    ['roles', ['viewer', 7]],
  ])('refuse %s: %j', (field, value) => {
    const { options } = createWorld();
    expect(() => createAccounts({ ...options, [field]: value })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it.each([
    ['minLength', { minLength: 0 }],
    ['maxLength', { maxLength: Number.NaN }],
    ['minLength', { minLength: 20, maxLength: 10 }],
  ])('refuse the password rule %s of %j', (field, passwordRules) => {
    const { options } = createWorld();
    expect(() => createAccounts({ ...options, passwordRules })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});
