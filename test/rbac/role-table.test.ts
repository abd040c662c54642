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

  it('answers several requests in their order', () => {
    const requests = PERMISSIONS.map((permission) => asked(['moderator'], permission));
    expect(contractRoles.decideAll(requests).map(({ allowed }) => allowed)).toEqual([false, true, true, true, false]);
    expect(contractRoles.decideAll([])).toEqual([]);
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
    ['a role that is a text', { viewer: { inherits: 'editor' } }, 'roles.viewer.inherits must be an array of roles'],
    ['a misspelt option', { viewer: { inherit: ['editor'] } }, 'roles.viewer.inherit is not a known option'],
    ['nothing inherited', { viewer: { permissions: ['read'] } }, 'roles.viewer.inherits must be an array of roles'],
    [
      'inherited options',
      { viewer: Object.create({ inherits: ['editor'] }) },
      'roles.viewer must be an array of permissions',
    ],
    [
      'an inherited role twice',
      { a: [], viewer: { inherits: ['a', 'a'] } },
      'roles.viewer.inherits lists a role twice',
    ],
    [
      'permissions that are a text',
      { viewer: { inherits: [], permissions: 'read' } },
      'roles.viewer.permissions must be an array of permissions',
    ],
    ['an unknown inherited role', { viewer: { inherits: ['edtior'] } }, 'roles.viewer inherits an unknown role'],
    ['an inherited toString', { viewer: { inherits: ['toString'] } }, 'roles.viewer inherits an unknown role'],
    ['a role that inherits itself', { viewer: { inherits: ['viewer'] } }, 'roles.viewer inherits itself'],
    [
      'a circle of roles',
      { z: ['read'], a: { inherits: ['z', 'b'] }, b: { inherits: ['c'] }, c: { inherits: ['a'] } },
      'roles.a inherits itself',
    ],
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

describe('inheritance', () => {
  const table = defineRoles({
    viewer: ['read'],
    editor: { inherits: ['viewer'], permissions: ['create', 'update'] },
    moderator: { inherits: ['viewer'], permissions: ['delete'] },
    chief: { inherits: ['editor', 'moderator'] },
  });

  it('gives a role the permissions of those it inherits, however far, and gives them nothing', () => {
    expect({ ...table.grants }).toEqual({
      viewer: ['read'],
      editor: ['create', 'update', 'read'],
      moderator: ['delete', 'read'],
      chief: ['create', 'update', 'read', 'delete'],
    });
    expect(table.can(['chief'], 'read')).toBe(true);
    expect(table.can(['viewer', 'moderator'], 'update')).toBe(false);
  });

  it('shows who inherits whom, frozen', () => {
    expect({ ...table.hierarchy }).toEqual({
      viewer: [],
      editor: ['viewer'],
      moderator: ['viewer'],
      chief: ['editor', 'moderator'],
    });
    expect(Object.getPrototypeOf(table.hierarchy)).toBe(null);
    expect(() => dirty<string[]>(table.hierarchy.viewer).push('chief')).toThrow(TypeError);
    expect({ ...contractRoles.hierarchy }).toEqual({ admin: [], editor: [], viewer: [], moderator: [] });
  });

  it('is typed', () => {
    expectTypeOf(table.can).parameter(1).toEqualTypeOf<'read' | 'create' | 'update' | 'delete'>();
    expectTypeOf(table.hierarchy.editor).toEqualTypeOf<readonly ('viewer' | 'editor' | 'moderator' | 'chief')[]>();
    // @ts-expect-error: "viwer" is no role of the table
    expect(() => defineRoles({ viewer: ['read'], editor: { inherits: ['viwer'] } })).toThrow('an unknown role');
  });

  it('is what walking the hierarchy says, for any table without a circle', () => {
    const names = ['a', 'b', 'c', 'd', '__proto__', 'constructor'];
    const role = fc.record({
      inherits: fc.uniqueArray(fc.nat(5)),
      permissions: fc.uniqueArray(fc.nat(40).map(String)),
    });
    fc.assert(
      fc.property(fc.array(role, { minLength: 6, maxLength: 6 }), (drawn) => {
        // A role inherits earlier ones only.
        const parents = drawn.map(({ inherits }, index) => inherits.filter((parent) => parent < index));
        const holds = (index: number, permission: string): boolean =>
          drawn[index]?.permissions.includes(permission) === true ||
          (parents[index] ?? []).some((parent) => holds(parent, permission));
        const source = Object.create(null);
        drawn.forEach(({ permissions }, index) => {
          source[names[index] ?? ''] = { inherits: (parents[index] ?? []).map((parent) => names[parent]), permissions };
        });
        const roles = defineRoles(dirty<Record<string, string[]>>(source));
        for (const [index, name] of names.entries()) {
          for (let permission = 0; permission <= 40; permission++) {
            expect(roles.can([name], `${permission}`)).toBe(holds(index, `${permission}`));
          }
        }
      }),
    );
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
