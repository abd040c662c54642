import { type ExecutionResult, execute, type GraphQLSchema, parse, validate } from 'graphql';
import { CHOICE_BOUND, type Choices, choices } from './choices.ts';
import { type Caller, PERMISSIONS, ROLES, SCOPES } from './conditions.ts';
import { type RandomDocument, randomDocument } from './documents.ts';
import { type Expected, expectedResult } from './oracle.ts';
import { printModel, randomSchema, type SchemaModel } from './schema-model.ts';
import {
  createSchemas,
  type Guard,
  type Path,
  pathKey,
  type Resolved,
  type Schemas,
  type TestContext,
} from './world.ts';

/** The numbers behind one case: each list decides one thing, so that each shrinks alone. */
export interface Seeds {
  readonly structure: readonly number[];
  readonly rules: readonly number[];
  readonly documents: readonly (readonly number[])[];
  readonly callers: readonly number[];
}

/** What the cases had in them, so that a test can tell that none of it is missing. */
export type Tally = Map<string, number>;

export { CHOICE_BOUND };

/**
 * Runs documents of several callers, all at once, on a random schema with and without rules, and compares.
 *
 * @throws with the schema, the document and both results where they differ
 */
export async function compareCase(seeds: Seeds, tally: Tally = new Map(), guard?: Guard): Promise<void> {
  const model = randomSchema(choices(seeds.structure), choices(seeds.rules));
  const schemas = createSchemas(model, guard);
  tally.set('places in the map', (tally.get('places in the map') ?? 0) + schemas.moved);
  const callers = randomCallers(choices(seeds.callers));
  await Promise.all(
    seeds.documents.map((numbers, index) => {
      const document = validDocument(model, schemas.unprotected, numbers);
      return compare(model, schemas, document, callers[index % callers.length], tally);
    }),
  );
}

function validDocument(model: SchemaModel, schema: GraphQLSchema, numbers: readonly number[]): RandomDocument {
  const first = randomDocument(model, choices(numbers), false);
  if (validate(schema, parse(first.source)).length === 0) return first;
  const document = randomDocument(model, choices(numbers), true);
  const [error] = validate(schema, parse(document.source));
  if (error !== undefined)
    throw new Error(`${error.message}\n${document.source}\n${printModel(model, BARE).join('\n')}`);
  return document;
}

const BARE = { withRules: false, isNullable: false };

/** Anonymous, one with much, and two with something. */
function randomCallers(choose: Choices): readonly (Caller | undefined)[] {
  const someone = (id: string, percent: number): Caller => ({
    id,
    roles: choose.some(ROLES, percent),
    scopes: choose.chance(80) ? choose.some(SCOPES, percent) : undefined,
    permissions: choose.some(PERMISSIONS.slice(0, 2), percent),
  });
  const [much, some, little] = [someone('u1', 95), someone('u2', 60), someone('u1', 25)];
  return choose.of([
    [much, some, much, undefined, much],
    [some, much, little, some],
    [undefined, much, much, little],
  ]);
}

function contextOf(caller: Caller | undefined, ran: TestContext['ran']): TestContext {
  if (caller === undefined) return { auth: { principal: undefined, environment: () => ({ time: 0 }) }, ran };
  let principal = principals.get(caller);
  if (principal === undefined) {
    const { scopes, permissions, ...known } = caller;
    principal = { ...known, permissions, attributes: { permissions }, ...(scopes && { scopes }) } as NonNullable<
      typeof principal
    >;
    principals.set(caller, principal);
  }
  return { auth: { principal, environment: () => ({ time: 0 }) }, ran };
}

/** Documents of one caller share a principal object, and so what is remembered of it. */
const principals = new WeakMap<Caller, NonNullable<TestContext['auth']['principal']>>();

async function compare(
  model: SchemaModel,
  schemas: Schemas,
  document: RandomDocument,
  caller: Caller | undefined,
  tally: Tally,
): Promise<void> {
  const known = await run(schemas.transparent, document, undefined);
  if (known.result.data === undefined) throw new Error(`Not executed: ${known.result.errors?.[0]}\n${document.source}`);
  const expect = (withRules: boolean): Expected =>
    expectedResult(model, plain(known.result.data), known.records, caller, withRules);

  const open = await run(schemas.unprotected, document, undefined);
  const walked = differences(open, expect(false));
  if (walked.length > 0) throw failure('The walk is wrong without rules', model, document, caller, walked, open);

  const guarded = await run(schemas.guarded, document, caller);
  const expected = expect(true);
  const found = differences(guarded, expected);
  if (found.length > 0 && model.enforce === 'operation' && isRefused(guarded)) {
    const isDenied = expected.met.size + expected.errors.length > 0;
    const isWrong = !isDenied && isReachedThroughout(open);
    if (isWrong) throw failure('Refused as a whole, for nothing', model, document, caller, found, guarded);
    tally.set('refused as a whole', (tally.get('refused as a whole') ?? 0) + 1);
  } else if (found.length > 0) throw failure('A disagreement', model, document, caller, found, guarded);
  count(tally, document, expected, guarded, open);
}

/** Whether nothing ran, and every root field says no. */
function isRefused({ result, records }: Run): boolean {
  const { data, errors = [] } = result;
  const empty: readonly unknown[] = [null, 'Query', 'Mutation'];
  const isEmpty = data === null || Object.values(data ?? { missing: true }).every((value) => empty.includes(value));
  const areDenials = errors.every(({ extensions }) => DENIALS.includes(String(extensions.code)));
  return isEmpty && areDenials && errors.length > 0 && records.size === 0;
}

const DENIALS: readonly string[] = ['FORBIDDEN', 'UNAUTHENTICATED'];

/** Whether execution came to everything that the document asks of the objects that it met. */
function isReachedThroughout({ result }: Run): boolean {
  return result.errors === undefined && !/null|\[\]/.test(JSON.stringify(result.data));
}

interface Run {
  readonly result: ExecutionResult;
  readonly records: ReadonlyMap<string, Resolved>;
}

async function run(schema: GraphQLSchema, document: RandomDocument, caller: Caller | undefined): Promise<Run> {
  const records = new Map<string, Resolved>();
  const ran = (path: Path, resolved: Resolved): void => {
    const key = pathKey(path);
    if (records.has(key)) throw new Error(`Resolved twice: ${key}`);
    records.set(key, resolved);
  };
  const result = await execute({
    schema,
    document: parse(document.source),
    operationName: document.operationName,
    variableValues: document.variables,
    contextValue: contextOf(caller, ran),
  });
  return { result, records };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** In words, what is not as it should be. */
function differences({ result, records }: Run, expected: Expected): readonly string[] {
  const found: string[] = [];
  if (result.data === undefined) return [`not executed: ${result.errors?.[0]}`];
  const [data, wanted] = [JSON.stringify(result.data), JSON.stringify(expected.data)];
  if (data !== wanted) found.push(`data\n  is        ${data}\n  should be ${wanted}`);

  const actual = (result.errors ?? []).map(({ path = [], extensions, message }) => ({
    path,
    code: String(extensions.code ?? message),
  }));
  const [is, shouldBe] = [byNull(actual, expected.data), byNull(expected.errors, expected.data)];
  for (const place of new Set([...is.keys(), ...shouldBe.keys()])) {
    const [told, possible] = [is.get(place) ?? [], shouldBe.get(place) ?? []];
    if (told.length === 0) found.push(`no error at ${place}, of ${possible.join(' ')}`);
    for (const error of told)
      if (!possible.includes(error)) found.push(`error ${error}, of ${possible.join(' ') || 'none'}`);
    if (new Set(told).size < told.length) found.push(`told twice: ${told.join(' ')}`);
  }
  for (const path of records.keys()) {
    if (!expected.mayRun.has(path)) found.push(`ran though denied: ${path}`);
  }
  return found;
}

/** Errors by the null of the data that they led to; which of those behind one null are told depends on time. */
function byNull(errors: Expected['errors'], data: unknown): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { path, code } of errors) {
    let at = data;
    let depth = 0;
    while (at !== null && typeof at === 'object' && depth < path.length)
      at = Reflect.get(at, path[depth++] as PropertyKey);
    const place = pathKey(path.slice(0, depth));
    places.set(place, [...(places.get(place) ?? []), `${pathKey(path)} ${code}`]);
  }
  return places;
}

function count(tally: Tally, { source }: RandomDocument, expected: Expected, guarded: Run, open: Run): void {
  const add = (what: string, is: boolean): unknown => is && tally.set(what, (tally.get(what) ?? 0) + 1);
  add('documents', true);
  add(
    'denied',
    expected.errors.some(({ code }) => code === 'FORBIDDEN' || code === 'UNAUTHENTICATED'),
  );
  add(
    'anonymous',
    expected.errors.some(({ code }) => code === 'UNAUTHENTICATED'),
  );
  add(
    'failed',
    expected.errors.some(({ code }) => code === 'boom'),
  );
  add('changed', JSON.stringify(guarded.result.data) !== JSON.stringify(open.result.data));
  add(
    'changed without an error',
    expected.errors.length === 0 && JSON.stringify(expected.data) !== JSON.stringify(open.result.data),
  );
  add('whole', JSON.stringify(guarded.result.data) === JSON.stringify(open.result.data));
  add('all null', expected.data === null);
  for (const what of expected.met) add(what, true);
  add('mutations', source.includes('mutation Asked'));
  add('named fragments', source.includes('fragment F'));
  add('inline fragments', source.includes('... on'));
  add('variables', source.includes('Asked('));
  tally.set('fields', (tally.get('fields') ?? 0) + guarded.records.size);
}

function failure(
  what: string,
  model: SchemaModel,
  document: RandomDocument,
  caller: Caller | undefined,
  found: readonly string[],
  { result }: Run,
): Error {
  const [first, second] = printModel(model, { withRules: true, isNullable: false });
  return new Error(
    [
      `${what} (unprotected: ${model.unprotected}, enforce: ${model.enforce}, seed of the data: ${model.seed})`,
      ...found,
      '--- schema',
      first,
      '--- second module',
      second,
      '--- caller',
      caller === undefined ? 'anonymous' : JSON.stringify(caller),
      '--- document',
      document.source,
      JSON.stringify(document.variables),
      '--- result',
      JSON.stringify(result),
    ].join('\n'),
  );
}
