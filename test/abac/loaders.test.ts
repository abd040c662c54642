import { type AccessRequest, isPromise, type Subject } from 'doorward';
import {
  type AttributeLoader,
  attr,
  createPolicyEngine,
  eq,
  hasRole,
  owner,
  policy,
  predicate,
  rule,
  sameDepartment,
  withLoaders,
} from 'doorward/abac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies, requests } from './support/random.ts';

const engine = createPolicyEngine(
  policy('documents', [
    rule.allow('admin', hasRole('admin')),
    rule.deny('suspended', eq(attr('subject.suspended'), true)),
    rule.allow('same-department', sameDepartment()),
    rule.allow('owner', owner()),
  ]),
);
const requestOf = (subject: Partial<Subject>, attributes: Record<string, unknown> = {}): AccessRequest => ({
  subject: { id: 'ada', roles: [], attributes: {}, ...subject },
  action: 'read',
  resource: { type: 'document', id: 'd1', attributes },
  environment: { time: 0 },
});

/** A directory that says what it was asked. */
function directory(load: (subject: Subject) => Record<string, unknown> | undefined) {
  const calls: string[][] = [];
  const loader: AttributeLoader = {
    of: 'subject',
    names: ['department', 'suspended'],
    load: async (subjects) => {
      calls.push(subjects.map(({ id }) => id));
      return subjects.map(load);
    },
  };
  return { loader, calls };
}
const sales = directory(() => ({ department: 'sales', suspended: false }));

describe('withLoaders', () => {
  it('decides at once, and loads nothing, where nothing is missing or the answer does not hang on it', () => {
    const { loader, calls } = directory(() => ({}));
    const pdp = withLoaders(engine, [loader]);
    const known = requestOf({ attributes: { department: 'sales', suspended: false } }, { department: 'sales' });
    for (const request of [requestOf({ roles: ['admin'] }), known]) {
      const decision = pdp.decide(request);
      expect(isPromise(decision)).toBe(false);
      expect(decision).toMatchObject({ allowed: true });
    }
    expect(calls).toEqual([]);
  });

  it('asks once for all of a turn, and once for each subject', async () => {
    const { loader, calls } = directory(({ id }) => ({ department: 'sales', suspended: id === 'bob' }));
    const pdp = withLoaders(engine, [loader]);
    const ada = { id: 'ada', roles: [], attributes: {} };
    const document = { department: 'sales' };
    const later = Promise.resolve().then(() => pdp.decide(requestOf({ id: 'eve' }, document)));
    const decisions = await Promise.all([
      pdp.decide({ ...requestOf({}, document), subject: ada }),
      pdp.decide({ ...requestOf({}, { department: 'hr' }), subject: ada }),
      pdp.decide(requestOf({ id: 'bob' }, document)),
      later,
    ]);
    expect(decisions.map(({ ruleId }) => ruleId)).toEqual([
      'same-department',
      undefined,
      'suspended',
      'same-department',
    ]);
    expect(calls).toEqual([['ada', 'bob', 'eve']]);
    expect(await pdp.decide({ ...requestOf({}, document), subject: ada })).toMatchObject({ allowed: true });
    expect(calls).toHaveLength(1);
    expect(ada.attributes).toEqual({});
  });

  it('asks only the loaders that matter', async () => {
    const asked: string[] = [];
    const resources: AttributeLoader = {
      of: 'resource',
      names: ['owner_id', 'department', 'colour'],
      load: async (all) => {
        asked.push(...all.map(({ id }) => id ?? ''));
        return all.map(() => ({ owner_id: 'ada', colour: 'red' }));
      },
    };
    const pdp = withLoaders(engine, [resources, sales.loader]);
    const decision = await pdp.decide(requestOf({ attributes: { suspended: true } }));
    expect(decision).toMatchObject({ allowed: false, ruleId: 'suspended' });
    expect(asked).toEqual([]);
    expect(await pdp.decide(requestOf({}))).toMatchObject({ allowed: true, ruleId: 'owner' });
    expect(asked).toEqual(['d1']);
  });

  it('what the request brings stays, null included', async () => {
    const pdp = withLoaders(engine, [sales.loader]);
    const request = requestOf({ attributes: { department: 'hr', suspended: false } }, { department: 'sales' });
    expect(await pdp.decide(request)).toMatchObject({ allowed: false });
    const unknown = requestOf({ attributes: { suspended: null } }, { department: 'sales' });
    expect(await pdp.decide(unknown)).toMatchObject({ allowed: false, ruleId: 'suspended' });
  });

  it.each<[string, AttributeLoader['load']]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('down'))],
    ['never answers', () => new Promise<never>(() => {})],
    ['knows nobody', async () => [undefined]],
    ['answers with too few', async () => []],
    ['answers with too many', async () => [{ suspended: false, department: 'sales' }, {}]],
    ['answers with no list', async () => ({ 0: { suspended: false, department: 'sales' }, length: 1 }) as never],
    ['answers with what it inherits', async () => [Object.create({ suspended: false, department: 'sales' })]],
    ['answers with null', async () => [null as never]],
  ])('a loader that %s leaves the attributes missing, and the deny rule fires', async (_, load) => {
    const pdp = withLoaders(engine, [{ of: 'subject', names: ['department', 'suspended'], load } as AttributeLoader], {
      timeoutMs: 20,
    });
    expect(await pdp.decide(requestOf({}, { department: 'sales' }))).toMatchObject({
      allowed: false,
      ruleId: 'suspended',
    });
  });

  it('tells a loader that nobody waits any more', async () => {
    let heard: AbortSignal | undefined;
    const load: AttributeLoader['load'] = (_: unknown, signal: AbortSignal) => {
      heard = signal;
      return new Promise<never>(() => {});
    };
    const loader = { of: 'subject', names: ['suspended'], load } as AttributeLoader;
    await withLoaders(engine, [loader], { timeoutMs: 10 }).decide(requestOf({}, { owner_id: 'ada' }));
    expect(heard?.aborted).toBe(true);
  });

  it('takes only the names that were announced', async () => {
    const load = async () => [{ suspended: false, department: 'sales', owner_id: 'ada', id: 'root' }];
    const pdp = withLoaders(engine, [{ of: 'subject', names: ['suspended'], load }]);
    const request = requestOf({}, { department: 'sales', owner_id: 'eve' });
    expect(await pdp.decide(request)).toMatchObject({ allowed: false, ruleId: 'suspended' });
    expect(await pdp.decide(requestOf({}, { owner_id: 'ada' }))).toMatchObject({ allowed: true, ruleId: 'owner' });
  });

  it('a predicate may read anything, so everything missing is loaded for it', async () => {
    const { loader } = directory(() => ({ department: 'sales' }));
    const asked = createPolicyEngine(policy('p', [rule.allow('mine', predicate('inSales'))]), {
      predicates: { inSales: ({ subject }) => subject.attributes.department === 'sales' },
    });
    expect(await withLoaders(asked, [loader]).decide(requestOf({}))).toMatchObject({ allowed: true, ruleId: 'mine' });
  });

  it('decides many at once with one call', async () => {
    const { loader, calls } = directory(() => ({ department: 'sales', suspended: false }));
    const many = Array.from({ length: 50 }, (_, index) => requestOf({ id: `u${index}` }, { department: 'sales' }));
    const decisions = await withLoaders(engine, [loader]).decideAll?.(many);
    expect(decisions?.every(({ allowed }) => allowed)).toBe(true);
    expect(calls).toHaveLength(1);
  });

  it('a subject or a resource that is none is left to the policy', async () => {
    const pdp = withLoaders(engine, [sales.loader]);
    for (const subject of [null, undefined, 'ada', 5]) {
      const request = { ...requestOf({}), subject } as unknown as AccessRequest;
      expect(await pdp.decide(request)).toMatchObject({ allowed: false });
    }
  });

  it('decides as the policy does with the attributes in place, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        policies,
        requests,
        fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom<unknown>('a', 1, true, null, ['a'])),
        async (random, request, brought) => {
          const plain = createPolicyEngine(random);
          const { subject } = request;
          const holdsAttributes = typeof subject === 'object' && subject !== null && !Array.isArray(subject);
          const own = holdsAttributes && Object.hasOwn(subject, 'attributes') ? { ...subject.attributes } : {};
          const missing = Object.entries(brought).filter(([name]) => own[name as never] === undefined);
          const whole = holdsAttributes
            ? { ...request, subject: { ...subject, attributes: { ...own, ...Object.fromEntries(missing) } } }
            : request;
          const loader: AttributeLoader = {
            of: 'subject',
            names: ['a', 'b'],
            load: async (all) => all.map(() => brought),
          };
          const decision = await withLoaders(plain, [loader]).decide(request);
          expect(decision.allowed).toBe(plain.decide(whole).allowed);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('loaders that cannot be meant', () => {
  const load = async () => [];
  it.each<[string, unknown]>([
    ['loaders[0].of', [{ of: 'environment', names: ['a'], load }]],
    ['loaders[0].names', [{ of: 'subject', names: [], load }]],
    ['loaders[0].names', [{ of: 'subject', names: ['id'], load }]],
    ['loaders[0].names', [{ of: 'subject', names: ['__proto__'], load }]],
    ['loaders[0].names', [{ of: 'resource', names: ['a.b'], load }]],
    ['loaders[0].load', [{ of: 'resource', names: ['a'], load: 'yes' }]],
    ['loaders[0].timeoutMs', [{ of: 'resource', names: ['a'], load, timeoutMs: 5 }]],
    ['loaders', { of: 'resource', names: ['a'], load }],
    [
      'loaders[1].names',
      [
        { of: 'subject', names: ['a'], load },
        { of: 'subject', names: ['a'], load },
      ],
    ],
  ])('%s', (field, loaders) => {
    expect(() => withLoaders(engine, loaders as AttributeLoader[])).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
  it('timeoutMs', () => {
    expect(() => withLoaders(engine, [], { timeoutMs: 0 })).toThrow(expect.objectContaining({ field: 'timeoutMs' }));
  });
});
