import type { AccessRequest } from 'doorward';
import {
  attr,
  contractPolicy,
  createPolicyEngine,
  defineModel,
  eq,
  hasRole,
  type ModelDefinition,
  or,
  policy,
  rule,
} from 'doorward/abac';
import { defineRoles } from 'doorward/rbac';
import { describe, expect, expectTypeOf, it } from 'vitest';

const model = defineModel({
  roles: { admin: ['editor'], editor: ['viewer'], viewer: [], guest: [] },
  subject: { department: 'string', level: 'number', teams: 'string[]', suspended: 'boolean' },
  resources: {
    document: {
      actions: ['read', 'update', 'publish'],
      attributes: { owner_id: 'string', department: 'string', sensitivity: ['low', 'high'], scores: 'number[]' },
    },
    invoice: { actions: ['read', 'pay'], attributes: { owner_id: 'string', amount: 'number' } },
  },
  environment: { tenant: 'string' },
  predicates: ['isOnCall'],
});
const document = model.rules('document');
const everything = model.rules();

const refusal = (field: string, message?: unknown) =>
  expect.objectContaining({ code: 'CONFIG_INVALID', field, ...(message !== undefined && { message }) });
const parse = (rules: Record<string, unknown>) => () =>
  model.parse({ name: 'p', combining: 'first-match', rules: [{ id: 'r', effect: 'allow', ...rules }] });
const parseWhen = (when: unknown) => parse({ resources: ['document'], when });
/** What the compiler refuses must be refused in JSON too: rules come here from code that does not compile. */
const build = (rules: readonly Parameters<typeof model.policy>[1][number][]) => () => model.policy('p', rules);

describe('a policy of a model', () => {
  const documents = model.policy('documents', [
    everything.deny('suspended', everything.eq(everything.attr('subject.suspended'), true)),
    document.allow('owner', document.owner('owner_id'), { description: 'why' }),
    document.allow('low', document.eq(document.attr('resource.sensitivity'), 'low'), { actions: ['read'] }),
    document.allow('viewers', document.hasRole('viewer'), { actions: ['read'] }),
    document.allow('on-call', document.predicate('isOnCall')),
  ]);

  it('is the plain data that the untyped functions build', () => {
    expect(documents).toStrictEqual(
      policy('documents', [
        rule.deny('suspended', eq(attr('subject.suspended'), true)),
        rule.allow('owner', eq(attr('subject.id'), attr('resource.owner_id')), {
          description: 'why',
          resources: ['document'],
        }),
        rule.allow('low', eq(attr('resource.sensitivity'), 'low'), { resources: ['document'], actions: ['read'] }),
        rule.allow('viewers', or(hasRole('viewer'), hasRole('admin'), hasRole('editor')), {
          resources: ['document'],
          actions: ['read'],
        }),
        rule.allow('on-call', { predicate: 'isOnCall' }, { resources: ['document'] }),
      ]),
    );
    expect(model.parse(JSON.parse(JSON.stringify(documents)))).toStrictEqual(documents);
    expect(Object.isFrozen(documents.rules[0]?.when)).toBe(true);
  });

  it('hasRole holds for roles that inherit it, however far, and for no other', () => {
    const engine = createPolicyEngine(model.policy('p', [everything.allow('r', everything.hasRole('viewer'))]));
    const allows = (role: string): boolean => {
      const request: AccessRequest = {
        subject: { id: 'u', roles: [role], attributes: {} },
        action: 'read',
        resource: { type: 'document', attributes: {} },
        environment: { time: 0 },
      };
      return engine.decide(request).allowed;
    };
    expect(['admin', 'editor', 'viewer', 'guest', 'constructor'].filter(allows)).toEqual(['admin', 'editor', 'viewer']);
    expect(everything.hasRole('guest')).toStrictEqual(hasRole('guest'));
  });

  it('types the requests that it decides', () => {
    const environment = { time: 0, attributes: { tenant: 'acme' } };
    const request = model.request({
      subject: { id: 'u', roles: ['guest'], attributes: { level: 3, teams: ['a'] } },
      action: 'publish',
      resource: { type: 'document', id: 'd', attributes: { owner_id: 'u', sensitivity: 'high' } },
      environment,
    });
    const onCall = { predicates: { isOnCall: () => false } };
    expect(createPolicyEngine(documents, onCall).decide(request).allowed).toBe(false);
    const subject = { id: 'u', roles: ['viewer'], attributes: { suspended: false } } as const;
    const invoice = { type: 'invoice', attributes: { amount: 3 } } as const;
    expect(model.request({ subject, action: 'pay', resource: invoice, environment })).toEqual({
      subject,
      action: 'pay',
      resource: invoice,
      environment,
    });
    // @ts-expect-error: invoices are not published
    model.request({ subject, action: 'publish', resource: invoice, environment });
    // @ts-expect-error: no such role
    model.request({ subject: { ...subject, roles: ['amdin'] }, action: 'pay', resource: invoice, environment });
    const large = { type: 'invoice', attributes: { amount: 'large' } } as const;
    // @ts-expect-error: an amount is a number
    model.request({ subject, action: 'pay', resource: large, environment });
  });

  it('takes the hierarchy of a role table', () => {
    const table = defineRoles({ viewer: ['read'], editor: { inherits: ['viewer'], permissions: ['update'] } });
    const fromTable = defineModel({
      roles: table.hierarchy,
      subject: {},
      resources: { post: { actions: table.permissions, attributes: {} } },
    });
    const post = fromTable.rules('post');
    expect(post.hasRole('viewer')).toStrictEqual(or(hasRole('viewer'), hasRole('editor')));
    // @ts-expect-error: the table has no role "admin"
    expect(build([post.allow('r', post.hasRole('admin'))])).toThrow(refusal('$.rules[0].resources[0]'));
    // @ts-expect-error: nobody grants "delete"
    post.allow('r', 'always', { actions: ['delete'] });
  });

  it('keeps its own copy of the definition', () => {
    const actions = ['read'];
    const source = { roles: ['a'], subject: {}, resources: { x: { actions, attributes: {} } } };
    const copied = defineModel<ModelDefinition>(source);
    actions.push('delete');
    expect(() => copied.policy('p', [rule.allow('r', 'always', { actions: ['delete'] })])).toThrow(
      refusal('$.rules[0].actions[0]'),
    );
    expect(copied.definition.resources.x?.actions).toEqual(['read']);
    expect(() => Object.assign(copied.definition.resources, { y: {} })).toThrow(TypeError);
  });
});

describe('what the model does not know does not compile, and is refused with its path', () => {
  it('roles', () => {
    // @ts-expect-error: no such role
    const mistaken = document.allow('r', document.hasRole('amdin'));
    expect(build([mistaken])).toThrow(refusal('$.rules[0].when.contains[1]'));
    expect(parseWhen({ contains: [{ attr: 'subject.roles' }, 'amdin'] })).toThrow(
      refusal(
        '$.rules[0].when.contains[1]',
        '$.rules[0].when.contains[1] must be one of "admin", "editor", "viewer", "guest"',
      ),
    );
  });

  it('resource types', () => {
    // @ts-expect-error: no such type
    expect(() => model.rules('doc')).toThrow(refusal('resources'));
    expect(parse({ resources: ['document', 'doc'], when: 'always' })).toThrow(
      refusal(
        '$.rules[0].resources[1]',
        '$.rules[0].resources[1] is not a resource type of the model, which has "document", "invoice"',
      ),
    );
    expect(parse({ when: { eq: [{ attr: 'resource.type' }, 'doc'] } })).toThrow(refusal('$.rules[0].when.eq[1]'));
    // @ts-expect-error: the rule is about documents
    document.eq(document.attr('resource.type'), 'invoice');
  });

  it('resource types that a rule of other types would add', () => {
    const both = { resources: ['document', 'invoice'] };
    expect(document.allow('r', 'always', { ...both, actions: ['read'] })).toMatchObject({ resources: ['document'] });
    expect(model.rules('document', 'invoice').allow('r', 'always')).toMatchObject(both);
  });

  it('actions, by resource type', () => {
    // @ts-expect-error: documents are not paid
    const mistaken = document.allow('r', 'always', { actions: ['read', 'pay'] });
    expect(build([mistaken])).toThrow(refusal('$.rules[0].actions[1]'));
    // @ts-expect-error: documents are not paid
    const compared = document.allow('r', document.eq(document.attr('action'), 'pay'));
    expect(build([compared])).toThrow(refusal('$.rules[0].when.eq[1]'));
    expect(build([model.rules('invoice').allow('r', 'always', { actions: ['pay'] })])).not.toThrow();
    expect(build([everything.allow('r', 'always', { actions: ['pay', 'publish'] })])).not.toThrow();
  });

  it('attributes, by resource type', () => {
    // @ts-expect-error: subjects have no such attribute
    document.attr('subject.departmnet');
    // @ts-expect-error: documents have no amount
    const amount = document.attr('resource.amount');
    expect(build([document.allow('r', document.present(amount))])).toThrow(refusal('$.rules[0].when.present.attr'));
    expectTypeOf(document.attr('resource.owner_id')).toExtend<{ readonly attr: string }>();
    // @ts-expect-error: not every type has a sensitivity
    everything.attr('resource.sensitivity');
    expect(parse({ when: { present: { attr: 'resource.sensitivity' } } })).toThrow(
      refusal('$.rules[0].when.present.attr', '$.rules[0].when.present.attr is no attribute of "invoice"'),
    );
    expect(
      parse({ when: { not: { or: [{ present: { attr: 'subject.level' } }, { present: { attr: 'subject.a' } }] } } }),
    ).toThrow(refusal('$.rules[0].when.not.or[1].present.attr'));
    expect(parse({ when: { and: [{ present: { attr: 'environment.device' } }] } })).toThrow(
      refusal('$.rules[0].when.and[0].present.attr', expect.stringContaining('which has "subject.id", ')),
    );
    // @ts-expect-error: owner() wants an attribute of the resource
    document.owner('author_id');
    expect(build([everything.allow('r', everything.sameDepartment())])).toThrow(refusal('$.rules[0].when.eq[1].attr'));
  });

  it('predicates', () => {
    // @ts-expect-error: no such predicate
    const mistaken = document.allow('r', document.predicate('isOncall'));
    expect(build([mistaken])).toThrow(refusal('$.rules[0].when.predicate'));
  });

  it('constants of another type', () => {
    const level = document.attr('subject.level');
    const sensitivity = document.attr('resource.sensitivity');
    const refused: readonly (readonly [() => Parameters<typeof document.allow>[1], string])[] = [
      // @ts-expect-error: a level is a number
      [() => document.eq(level, '3'), 'eq[1]'],
      // @ts-expect-error: a level is a number
      [() => document.lt(level, true), 'lt[1]'],
      // @ts-expect-error: not one of the values
      [() => document.eq(sensitivity, 'hihg'), 'eq[1]'],
      // @ts-expect-error: not one of the values
      [() => document.isIn(sensitivity, ['low', 'medium']), 'in[1][1]'],
      // @ts-expect-error: a truth is no text
      [() => document.eq(document.attr('subject.suspended'), 'true'), 'eq[1]'],
      // @ts-expect-error: truths have no order
      [() => document.gt(document.attr('subject.suspended'), document.attr('subject.suspended')), 'gt[0]'],
      // @ts-expect-error: a number has no beginning
      [() => document.startsWith(level, '1'), 'startsWith[0]'],
      // @ts-expect-error: a text and a number
      [() => document.eq(level, document.attr('subject.department')), 'eq'],
      // @ts-expect-error: the scores are numbers
      [() => document.contains(document.attr('resource.scores'), 'a'), 'contains[1]'],
      // @ts-expect-error: a list of texts, and a number
      [() => document.isIn(level, document.attr('subject.teams')), 'in'],
      // @ts-expect-error: a list is not equal to a text
      [() => document.eq(document.attr('subject.teams'), 'a'), 'eq[0]'],
      // @ts-expect-error: a department is no list
      [() => document.contains(document.attr('subject.department'), 'a'), 'contains[0]'],
      // @ts-expect-error: a list in a list
      [() => document.isIn(document.attr('subject.teams'), ['a']), 'in[0]'],
    ];
    for (const [when, at] of refused) {
      expect(build([document.allow('r', when())]), at).toThrow(refusal(`$.rules[0].when.${at}`));
    }
    expect(parseWhen({ eq: ['medium', { attr: 'resource.sensitivity' }] })).toThrow(refusal('$.rules[0].when.eq[0]'));
  });

  it('and takes what it knows', () => {
    const { attr: of } = document;
    const known = [
      document.eq(of('resource.sensitivity'), 'high'),
      document.startsWith(of('resource.sensitivity'), 'hi'),
      document.eq(of('subject.department'), of('resource.department')),
      document.ne(of('resource.sensitivity'), of('subject.department')),
      document.gte(of('subject.level'), 3),
      document.lt(of('subject.department'), 'm'),
      document.isIn(of('subject.level'), [1, 2]),
      document.isIn(of('subject.level'), of('resource.scores')),
      document.contains(of('subject.teams'), of('resource.department')),
      document.contains(of('subject.roles'), 'guest'),
      document.present(of('subject.teams')),
      document.eq(of('subject.suspended'), false),
      document.eq(of('environment.tenant'), 'acme'),
      document.lt(of('environment.time'), 1_800_000_000_000),
      document.hourBetween(9, 17, 'Europe/Berlin'),
      document.sameDepartment(),
      document.not(document.owner('owner_id')),
    ];
    expect(build([document.allow('r', document.and(document.or(...known), ...known))])).not.toThrow();
  });

  it('takes the contract policy, if it has what that reads', () => {
    const attributes = { owner_id: 'string', department: 'string', sensitivity: ['low', 'high'] } as const;
    const definition = {
      roles: ['admin'],
      subject: { department: 'string' },
      resources: { document: { actions: ['read'], attributes } },
    } as const;
    expect(defineModel(definition).parse(contractPolicy)).toStrictEqual(contractPolicy);
    const { sensitivity: _, ...others } = attributes;
    const without = defineModel({ ...definition, resources: { document: { actions: ['read'], attributes: others } } });
    expect(() => without.parse(contractPolicy)).toThrow(refusal('$.rules[1].when.and[0].eq[0].attr'));
  });

  it('refuses what is no policy at all as parsePolicy does', () => {
    expect(parse({ when: {} })).toThrow(refusal('$.rules[0].when'));
  });
});

describe('a model that cannot be meant is refused', () => {
  const base = { roles: ['a'], subject: {}, resources: { x: { actions: ['read'], attributes: {} } } };
  it.each<[string, object, string]>([
    ['an unknown option', { role: [] }, 'role'],
    ['roles that are a text', { roles: 'a' }, 'roles'],
    ['a role twice', { roles: ['a', 'a'] }, 'roles'],
    ['a role without a name', { roles: { '': [] } }, 'roles'],
    ['an unknown inherited role', { roles: { a: ['b'] } }, 'roles.a'],
    ['an inherited property for a role', { roles: { a: ['toString'] } }, 'roles.a'],
    ['a role that inherits itself', { roles: { a: ['a'] } }, 'roles.a'],
    ['a circle of roles', { roles: { a: ['b'], b: ['c'], c: ['a'] } }, 'roles.a'],
    ['no subject', { subject: undefined }, 'subject'],
    ['an attribute of an unknown type', { subject: { a: 'text' } }, 'subject.a'],
    ['an attribute of an inherited type', { subject: { a: 'constructor' } }, 'subject.a'],
    ['an attribute of no values', { subject: { a: [] } }, 'subject.a'],
    ['a value twice', { subject: { a: ['x', 'x'] } }, 'subject.a'],
    ['an own field', { subject: { roles: 'string[]' } }, 'subject.roles'],
    [
      'an own field of resources',
      { resources: { x: { actions: ['a'], attributes: { type: 'string' } } } },
      'resources.x.attributes.type',
    ],
    ['an own field of the environment', { environment: { hour: 'number' } }, 'environment.hour'],
    ['a path for a name', { environment: { 'a.b': 'number' } }, 'environment.a.b'],
    ['no resources', { resources: {} }, 'resources'],
    ['no actions', { resources: { x: { actions: [], attributes: {} } } }, 'resources.x.actions'],
    [
      'an unknown key of a type',
      { resources: { x: { actions: ['a'], attributes: {}, owner: 'a' } } },
      'resources.x.owner',
    ],
    ['a predicate that is no name', { predicates: ['is on call'] }, 'predicates[0]'],
  ])('%s', (_, change, field) => {
    expect(() => defineModel({ ...base, ...change } as ModelDefinition)).toThrow(refusal(field));
  });

  it('and does not compile where the compiler can tell', () => {
    const { subject, resources } = { subject: {}, resources: { x: { actions: ['read'], attributes: {} } } } as const;
    // @ts-expect-error: "viwer" is no role of the model
    expect(() => defineModel({ roles: { editor: ['viwer'], viewer: [] }, subject, resources })).toThrow(
      refusal('roles.editor'),
    );
    // @ts-expect-error: no type of attribute
    expect(() => defineModel({ roles: [], subject: { a: 'text' }, resources })).toThrow(refusal('subject.a'));
  });
});
