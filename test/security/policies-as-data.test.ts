import { type AccessRequest, ask } from 'doorward';
import { createPolicyEngine, defineModel, type ModelDefinition, parsePolicy, policySchema } from 'doorward/abac';
import { contractRoles, defineRoles } from 'doorward/rbac';
import { describe, expect, it } from 'vitest';

const CONFIG_INVALID = expect.objectContaining({ code: 'CONFIG_INVALID' });
const requestOf = (roles: unknown, action: unknown, attributes: unknown = {}): AccessRequest =>
  ({
    subject: { id: 'u1', roles, attributes },
    action,
    resource: { type: 'document', attributes: {} },
    environment: { time: 0 },
  }) as AccessRequest;
const fileOf = (rule: string) => JSON.parse(`{"name":"p","combining":"first-match","rules":[${rule}]}`);

describe('a policy file that opens a door by mistake is refused', () => {
  it.each([
    ['a forgotten condition', '{"id":"r","effect":"allow"}'],
    ['a condition that is null', '{"id":"r","effect":"allow","when":null}'],
    ['a condition that is true', '{"id":"r","effect":"allow","when":true}'],
    ['no conditions at all', '{"id":"r","effect":"allow","when":{"and":[]}}'],
    ['always, misspelt', '{"id":"r","effect":"allow","when":"allways"}'],
    ['a misspelt target', '{"id":"r","effect":"allow","action":["read"],"when":"always"}'],
    ['a target of nothing', '{"id":"r","effect":"allow","actions":[],"when":"always"}'],
    ['a condition in the prototype', '{"id":"r","effect":"allow","__proto__":{"when":"always"}}'],
    ['an inherited attribute', '{"id":"r","effect":"allow","when":{"present":{"attr":"subject.constructor"}}}'],
    ['the prototype', '{"id":"r","effect":"allow","when":{"present":{"attr":"environment.__proto__"}}}'],
    ['an inherited predicate', '{"id":"r","effect":"allow","when":{"not":{"predicate":"constructor"}}}'],
    ['half a character', '{"id":"r","effect":"allow","when":{"eq":[{"attr":"action"},"\\ud800"]}}'],
  ])('%s', (_, rule) => {
    expect(() => parsePolicy(fileOf(rule))).toThrow(CONFIG_INVALID);
  });

  it('and one that is too deep or too long is an error and no crash', () => {
    const deep = `{"id":"r","effect":"allow","when":${'{"not":'.repeat(50_000)}{}${'}'.repeat(50_000)}}`;
    const long = `{"id":"r","effect":"allow","when":{"or":[${'{"present":{"attr":"action"}},'.repeat(200_000)}{}]}}`;
    for (const rule of [deep, long]) expect(() => parsePolicy(fileOf(rule))).toThrow(CONFIG_INVALID);
  });
});

describe('a rule about actions and resource types', () => {
  const engine = createPolicyEngine(
    parsePolicy({
      name: 'p',
      combining: 'deny-overrides',
      rules: [
        { id: 'locked', effect: 'deny', actions: ['delete'], when: 'always' },
        { id: 'all', effect: 'allow', resources: ['document'], when: 'always' },
      ],
    }),
  );

  it.each([
    ['read', true],
    ['delete', false],
    ['DELETE', true],
  ])('AZ-12 compares %j exactly: %s', (action, allowed) => {
    expect(engine.decide(requestOf([], action)).allowed).toBe(allowed);
  });

  it.each([[undefined], [null], [['read']], [{ toString: () => 'read' }], [Object('read')]])(
    'a denial is not escaped by the action %j, which is unknown',
    (action) => {
      expect(ask(engine, requestOf([], action))).toMatchObject({ allowed: false });
    },
  );
});

describe('roles of a model and of a table', () => {
  const hostile = JSON.parse('{"__proto__":["viewer"],"constructor":[],"viewer":[]}');

  it('AZ-03 names of Object.prototype are names like any other, in a hierarchy too', () => {
    const model = defineModel<ModelDefinition>({
      roles: hostile,
      subject: {},
      resources: { document: { actions: ['read'], attributes: {} } },
    });
    const rules = model.rules();
    const engine = createPolicyEngine(model.policy('p', [rules.allow('r', rules.hasRole('viewer'))]));
    const allowed = (role: unknown) => engine.decide(requestOf([role], 'read')).allowed;
    expect(['viewer', '__proto__', 'constructor', 'toString', 'hasOwnProperty', ''].map(allowed)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
    expect(Object.prototype).not.toHaveProperty('viewer');
  });

  it('AZ-03 AZ-04 inheritance gives nothing to unknown roles, and no unknown permission to anybody', () => {
    const table = defineRoles({ viewer: ['read'], editor: { inherits: ['viewer'], permissions: ['update'] } });
    for (const role of ['__proto__', 'constructor', 'inherits', 'Editor', ' editor']) {
      expect(table.decide(requestOf([role], 'read')).allowed).toBe(false);
    }
    for (const permission of ['inherits', 'permissions', 'hasOwnProperty', 'includes', 'length', '0']) {
      expect(table.decide(requestOf(['editor'], permission)).allowed).toBe(false);
    }
    for (const roles of ['editor', { 0: 'editor', length: 1 }, new Set(['editor']), null]) {
      expect(table.decide(requestOf(roles, 'read')).allowed).toBe(false);
    }
  });

  it('AZ-19 a role that inherits more has no permission less', () => {
    const own = { a: ['read'], b: ['update'] } as const;
    const less = defineRoles({ ...own, c: { inherits: ['a'], permissions: ['delete'] } });
    const more = defineRoles({ ...own, c: { inherits: ['a', 'b'], permissions: ['delete'] } });
    for (const permission of less.grants.c ?? []) expect(more.can(['c'], permission)).toBe(true);
  });

  it('a circle of roles is refused and does not hang', () => {
    const circle = { a: { inherits: ['b'] }, b: { inherits: ['a'] } } as const;
    expect(() => defineRoles(circle)).toThrow(CONFIG_INVALID);
    expect(contractRoles.can(['admin'], 'manage_users')).toBe(true);
  });
});

it('the schema of policies closes every object, so that a misspelt key is seen by editors too', () => {
  const open: unknown[] = [];
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { type, properties, additionalProperties } = schema as Record<string, unknown>;
    if (type === 'object' && properties !== undefined && additionalProperties !== false) open.push(schema);
    Object.values(schema).forEach(walk);
  };
  walk(policySchema());
  expect(open).toEqual([]);
});
