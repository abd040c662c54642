import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { contractDecisionPolicy, contractPolicy, defineModel, parsePolicy, policySchema } from 'doorward/abac';
import { contractRoles } from 'doorward/rbac';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from './support/random.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false });
const isValid = ajv.compile(policySchema());

/** What a schema cannot say, as docs/abac.md lists it. */
const BEYOND_A_SCHEMA =
  /compares a \w+ with a|is the id of an earlier rule|is nested deeper|must be well-formed Unicode|must be an IANA time zone|must be a list and not/;

const problemOf = (json: unknown): string | undefined => {
  try {
    parsePolicy(json);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

type Path = readonly (string | number)[];
function pathsOf(json: unknown, at: Path = []): readonly Path[] {
  if (typeof json !== 'object' || json === null) return [at];
  return [at, ...Object.entries(json).flatMap(([key, value]) => pathsOf(value, [...at, key]))];
}

const junk = fc.constantFrom<unknown>(
  ...[null, '', 'a', 'always', 0, 1.5, true, [], {}, ['a'], ['a', 'a'], [1, 'a'], { attr: 'action' }],
  ...[{ attr: 'subject.roles' }, { attr: 'subject.__proto__' }, { attr: 'resource.a.b' }, { attr: 'environment.hour' }],
  ...[
    { attr: 'environment.hour', timeZone: 'UTC' },
    { attr: 'environment.time', timeZone: 'UTC' },
    'any-allow',
    'deny',
  ],
  ...[{ predicate: 'isOnCall' }, { predicate: 'is on call' }, { present: { attr: 'action' } }, { or: [] }, 'b'],
);
/** Replaces, removes, adds or doubles something somewhere. */
function mutated(json: unknown, path: Path, how: string, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if (how === 'add' && Array.isArray(json)) return [...json, value];
    if (how === 'add' && typeof json === 'object') return { ...json, extra: value };
    return how === 'double' && Array.isArray(json) ? [...json, ...json] : value;
  }
  const holder = json as Record<string, unknown>;
  if (how === 'remove' && rest.length === 0) {
    if (Array.isArray(json)) return json.toSpliced(Number(key), 1);
    const { [key]: _, ...others } = holder;
    return others;
  }
  const changed = mutated(holder[key], rest, how, value);
  return Array.isArray(json) ? json.with(Number(key), changed) : { ...holder, [key]: changed };
}

describe('the JSON Schema of policies', () => {
  it('is the file that the package ships', () => {
    expect(JSON.parse(readFileSync('docs/policy.schema.json', 'utf8'))).toEqual(policySchema());
  });

  it('accepts the contract policies and every random one', () => {
    expect(isValid(contractPolicy), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid(contractDecisionPolicy(contractRoles.grants))).toBe(true);
    fc.assert(
      fc.property(policies, (policy) => {
        expect(isValid(policy), JSON.stringify(isValid.errors)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with the parser on policies in which something was changed, but for what a schema cannot say', () => {
    const how = fc.constantFrom('replace', 'remove', 'add', 'double');
    let refused = 0;
    fc.assert(
      fc.property(policies, fc.nat(), how, junk, (policy, index, change, value) => {
        const paths = pathsOf(policy);
        const json = mutated(policy, paths[index % paths.length] ?? [], change, value);
        const problem = problemOf(json);
        if (problem !== undefined && BEYOND_A_SCHEMA.test(problem)) return;
        expect(isValid(json), `${problem}: ${JSON.stringify(json)}`).toBe(problem === undefined);
        if (problem !== undefined) refused += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(refused).toBeGreaterThan(1_000);
  }, 120_000);
});

describe('the JSON Schema of a model', () => {
  const model = defineModel({
    roles: ['editor'],
    subject: { department: 'string' },
    resources: { document: { actions: ['read', 'update'], attributes: { owner_id: 'string' } } },
    environment: { tenant: 'string' },
    predicates: ['isOnCall'],
  });
  const isOfModel = ajv.compile(policySchema(model));
  const asPolicy = (rule: object) => ({
    name: 'p',
    combining: 'first-match',
    rules: [{ id: 'r', effect: 'allow', when: 'always', ...rule }],
  });

  it.each<[object]>([
    [{ resources: ['document'], actions: ['read', 'update'] }],
    [{ when: { eq: [{ attr: 'subject.id' }, { attr: 'resource.owner_id' }] } }],
    [{ when: { and: [{ present: { attr: 'environment.tenant' } }, { predicate: 'isOnCall' }] } }],
  ])('accepts %j', (rule) => {
    expect(isOfModel(asPolicy(rule)), JSON.stringify(isOfModel.errors)).toBe(true);
    expect(() => model.parse(asPolicy(rule))).not.toThrow();
  });

  it.each<[object]>([
    [{ resources: ['documents'] }],
    [{ actions: ['delete'] }],
    [{ when: { eq: [{ attr: 'subject.id' }, { attr: 'resource.author_id' }] } }],
    [{ when: { present: { attr: 'environment.device' } } }],
    [{ when: { predicate: 'isAway' } }],
  ])('refuses %j', (rule) => {
    expect(isOfModel(asPolicy(rule))).toBe(false);
    expect(isValid(asPolicy(rule))).toBe(true);
    expect(() => model.parse(asPolicy(rule))).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});
