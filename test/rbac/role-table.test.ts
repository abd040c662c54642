import { type AccessRequest, ask } from 'doorward';
import { contractRoles, defineRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';

const CONTRACT: Record<string, readonly string[]> = {
  admin: ['create', 'read', 'update', 'delete', 'manage_users'],
  editor: ['create', 'read', 'update'],
  viewer: ['read'],
  moderator: ['read', 'update', 'delete'],
};
const PERMISSIONS = ['create', 'read', 'update', 'delete', 'manage_users'] as const;
const SUBSETS = Array.from({ length: 16 }, (_, bits) => Object.keys(CONTRACT).filter((__, bit) => bits & (1 << bit)));

/** What arrives when a store or a caller hands over something else than the types promise. */
const dirty = <T>(value: unknown): T => value as T;
const asked = (roles: unknown, action: unknown): AccessRequest => ({
  subject: { id: 'u1', roles: dirty(roles), attributes: {} },
  action: dirty(action),
  resource: { type: 'post', attributes: {} },
  environment: { time: 0 },
});

describe('the contract table', () => {
  it.each(SUBSETS.map((roles) => ({ roles })))(
    'AZ-02 $roles hold exactly the union of their permissions',
    ({ roles }) => {
      for (const permission of PERMISSIONS) {
        const expected = roles.some((role) => CONTRACT[role]?.includes(permission));
        expect(contractRoles.can(roles, permission)).toBe(expected);
        expect(contractRoles.decide(asked(roles, permission))).toMatchObject({
          allowed: expected,
          effect: expected ? 'allow' : 'deny',
          reason: expected ? 'permission' : 'no_permission',
        });
      }
    },
  );

  it('names its roles and permissions, and shows itself as plain data', () => {
    expect(contractRoles.roles).toEqual(['admin', 'editor', 'viewer', 'moderator']);
    expect(contractRoles.permissions).toEqual(PERMISSIONS);
    expect({ ...contractRoles.grants }).toEqual(CONTRACT);
  });
});

describe('roles and permissions that nobody defined', () => {
  it.each<[unknown]>([
    [['__proto__']],
    [['constructor']],
    [['toString']],
    [['hasOwnProperty']],
    [['Admin']],
    [['admin ']],
    [['']],
    [[['admin']]],
    [[Object('admin')]],
    [[null, undefined, 0, {}]],
    ['admin'],
    [Object('admin')],
    [{ admin: true }],
    [{ 0: 'admin', length: 1 }],
    [new Set(['admin'])],
    [null],
    [undefined],
    [Array.from({ length: 10_000 }, (_, index) => `role-${index}`)],
  ])('AZ-03 the roles %j grant nothing', (roles) => {
    for (const permission of PERMISSIONS) {
      expect(contractRoles.can(dirty(roles), permission)).toBe(false);
      expect(contractRoles.decide(asked(roles, permission)).allowed).toBe(false);
    }
  });

  it.each<[unknown]>([
    ['hasOwnProperty'],
    ['length'],
    ['includes'],
    ['__proto__'],
    ['constructor'],
    ['READ'],
    ['read '],
    [''],
    [['read']],
    [0],
    [null],
    [undefined],
  ])('AZ-04 the permission %j is granted to nobody', (permission) => {
    expect(contractRoles.can(['admin', 'editor', 'viewer', 'moderator'], dirty(permission))).toBe(false);
    expect(contractRoles.decide(asked(['admin'], permission))).toMatchObject({
      allowed: false,
      reason: 'no_permission',
    });
  });

  it('takes a role named like an inherited property as the role it is', () => {
    const roles = defineRoles(
      dirty<Record<string, string[]>>(JSON.parse('{"__proto__":["read"],"constructor":["update"]}')),
    );
    expect(roles.roles).toEqual(['__proto__', 'constructor']);
    expect(roles.can(['__proto__'], 'read')).toBe(true);
    expect(roles.can(['__proto__'], 'update')).toBe(false);
    expect(roles.can(['toString'], 'read')).toBe(false);
  });

  it('denies a request without a subject as an error', () => {
    expect(ask(contractRoles, dirty({ action: 'read' }))).toMatchObject({ allowed: false, reason: 'error' });
  });
});

describe('defineRoles', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'roles must be a plain object'],
    ['an array', [['read']], 'roles must be a plain object'],
    ['inherited roles', Object.create({ admin: ['read'] }), 'roles must be a plain object'],
    ['a role without a name', { '': ['read'] }, 'roles has a role without a name'],
    ['a text of permissions', { viewer: 'read' }, 'roles.viewer must be an array of permissions'],
    ['an empty permission', { viewer: ['read', ''] }, 'roles.viewer must hold non-empty strings only'],
    ['a permission that is no text', { viewer: [['read']] }, 'roles.viewer must hold non-empty strings only'],
    ['a hole', { viewer: new Array(1) }, 'roles.viewer must hold non-empty strings only'],
    ['a permission twice', { viewer: ['read', 'read'] }, 'roles.viewer lists a permission twice'],
  ])('refuses %s', (_, table, message) => {
    expect(() => defineRoles(dirty<Record<string, string[]>>(table))).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message }),
    );
  });

  it('takes a role that grants nothing yet', () => {
    const roles = defineRoles({ guest: [], viewer: ['read'] });
    expect(roles.can(['guest'], 'read')).toBe(false);
  });

  it('keeps its own copy, which nobody can change', () => {
    const table = { viewer: ['read'] };
    const roles = defineRoles<Record<string, string[]>>(table);
    table.viewer.push('delete');
    expect(roles.can(['viewer'], 'delete')).toBe(false);
    expect(() => dirty<string[]>(roles.grants.viewer).push('delete')).toThrow(TypeError);
    expect(() => dirty<string[]>(roles.permissions).push('delete')).toThrow(TypeError);
  });

  it('turns permissions into a type', () => {
    const roles = defineRoles({ editor: ['create', 'read'], viewer: ['read'] });
    expectTypeOf(roles.can).parameter(1).toEqualTypeOf<'create' | 'read'>();
    expectTypeOf(roles.permissions).toEqualTypeOf<readonly ('create' | 'read')[]>();
    // @ts-expect-error: "raed" is no permission of this table
    expect(roles.can(['editor'], 'raed')).toBe(false);
    // @ts-expect-error: "publish" is no permission of the contract
    expect(contractRoles.can(['admin'], 'publish')).toBe(false);
  });
});

describe('any role table', () => {
  const name = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString'),
    fc.string({ minLength: 1, maxLength: 4 }),
  );
  const permission = fc.oneof(name, fc.nat(99).map(String));
  const table = fc.dictionary(name, fc.uniqueArray(permission, { maxLength: 80 }), { maxKeys: 6 });

  it('grants exactly what is listed, however many permissions there are', () => {
    fc.assert(
      fc.property(table, fc.array(name), permission, (grants, strangers, wanted) => {
        const roles = defineRoles(grants);
        for (const held of [strangers, ...Object.keys(grants).map((role) => [...strangers, role])]) {
          const expected = held.some((role) => Object.hasOwn(grants, role) && grants[role]?.includes(wanted));
          expect(roles.can(held, wanted)).toBe(expected);
        }
      }),
    );
  });

  it('AZ-19 never loses a permission to one more role', () => {
    fc.assert(
      fc.property(table, fc.array(name), name, permission, (grants, held, more, wanted) => {
        const roles = defineRoles(grants);
        if (roles.can(held, wanted)) expect(roles.can([...held, more], wanted)).toBe(true);
      }),
    );
  });

  it('tells 100 permissions apart', () => {
    const all = Array.from({ length: 100 }, (_, index) => `p${index}`);
    const roles = defineRoles(Object.fromEntries(all.map((each) => [`only-${each}`, [each]])));
    for (const each of all) expect(all.filter((other) => roles.can([`only-${each}`], other))).toEqual([each]);
  });
});
