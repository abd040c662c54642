import { addResolversToSchema, makeExecutableSchema } from '@graphql-tools/schema';
import { type AccessRequest, allow, type Decision, deny, type PolicyDecisionPoint } from 'doorward';
import { authDirectives, type DecisionPointPolicy, type Policy, protectSchema } from 'doorward/graphql';
import { buildSchema, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import { type Caller, hash, POLICIES, policyAnswer } from './conditions.ts';
import { movedRules } from './moved-rules.ts';
import {
  depthOf,
  ENUM_VALUES,
  type FieldModel,
  isLeaf,
  nameOf,
  nullable,
  possibleTypes,
  printModel,
  type SchemaModel,
  type TypeRef,
} from './schema-model.ts';

/** An object of the data. */
export interface Thing {
  readonly __typename: string;
  readonly id: string;
  readonly [name: string]: unknown;
}

/** What one field was asked, and what its resolver had to say. */
export interface Resolved {
  readonly typeName: string;
  readonly fieldName: string;
  readonly parent: unknown;
  readonly args: Readonly<Record<string, unknown>>;
  readonly value: unknown;
  readonly failed: boolean;
}

export type Path = readonly (string | number)[];
export const pathKey = (path: Path): string => JSON.stringify(path);

export interface TestContext {
  readonly auth: {
    principal: (Caller & { readonly attributes: object }) | undefined;
    readonly environment: () => { time: number };
  };
  /** Hears of every resolver that runs. */
  readonly ran: (path: Path, resolved: Resolved) => void;
}

/** The data behind a schema: the same question always has the same answer. */
export function createWorld(model: SchemaModel) {
  const things = new Map<string, Thing>();

  function thing(typeName: string, index: number): Thing {
    const id = `${typeName}.${index}`;
    const known = things.get(id);
    if (known !== undefined) return known;
    const owner = [undefined, 'u1', 'u2', 'u1', '', 7, null][hash(`${model.seed} ${id} owner`) % 7];
    const made: Record<string, unknown> = { __typename: typeName, id, meta: { owner: owner === 'u1' ? 'u2' : 'u1' } };
    if (owner !== undefined) made.ownerId = owner;
    things.set(id, made as unknown as Thing);
    for (const field of model.composites.get(typeName)?.fields ?? []) {
      if (!field.isPlain) continue;
      const value = answer(typeName, field, id, {});
      const shape = hash(`${model.seed} ${typeName} ${field.name} shape`) % 3;
      made[field.name] = shape === 0 ? value : shape === 1 ? () => value : () => Promise.resolve(value);
    }
    return made as unknown as Thing;
  }

  function answer(typeName: string, field: FieldModel, id: string, args: object): unknown {
    return randomValue(field.type, `${model.seed} ${typeName} ${field.name} ${id} ${JSON.stringify(args)}`, field.name);
  }

  function randomValue(type: TypeRef, seed: string, name: string): unknown {
    const chance = hash(seed);
    if (type.kind !== 'nonNull' && chance % 7 === 0) return null;
    const inner = nullable(type);
    if (inner.kind === 'list')
      return Array.from({ length: chance % 4 }, (_, at) => randomValue(inner.of, `${seed} ${at}`, name));
    const typeName = nameOf(inner);
    if (isLeaf(model, typeName)) return typeName === 'E' ? ENUM_VALUES[chance % 2] : `${seed}`;
    const possible = possibleTypes(model, typeName);
    const concrete = possible[chance % possible.length];
    return concrete === undefined ? null : thing(concrete, (chance >>> 4) % 3);
  }

  /** What a field answers; some fail. */
  function resolve(
    typeName: string,
    field: FieldModel,
    parent: unknown,
    args: Readonly<Record<string, unknown>>,
  ): Resolved {
    const id = (parent as Thing | undefined)?.id ?? 'root';
    const failed = !field.isPlain && hash(`${model.seed} ${typeName} ${field.name} ${id} fails`) % 13 === 0;
    const value = failed ? undefined : answer(typeName, field, id, args);
    return { typeName, fieldName: field.name, parent, args, value, failed };
  }

  /** Resolvers of all fields; with `defaults`, fields without one have none. */
  function resolvers(defaults: boolean): Record<string, Record<string, unknown>> {
    const all: Record<string, Record<string, unknown>> = {};
    for (const { name: typeName, kind, fields } of model.composites.values()) {
      const ofType: Record<string, unknown> = {};
      all[typeName] = ofType;
      if (kind === 'interface') {
        abstract(ofType, typeName);
        continue;
      }
      for (const field of fields) {
        if (defaults && field.isPlain) continue;
        ofType[field.name] = resolver(typeName, field);
      }
    }
    for (const name of model.unions.keys()) {
      all[name] = {};
      abstract(all[name], name);
    }
    return all;
  }

  function abstract(ofType: Record<string, unknown>, name: string): void {
    const way = hash(`${model.seed} ${name} resolveType`) % 3;
    if (way === 1) ofType.__resolveType = (value: Thing) => value.__typename;
    if (way === 2) ofType.__resolveType = async (value: Thing) => value.__typename;
  }

  function resolver(typeName: string, field: FieldModel) {
    const way = hash(`${model.seed} ${typeName} ${field.name} way`) % 6;
    return (
      parent: unknown,
      args: Record<string, unknown>,
      context: TestContext,
      info: GraphQLResolveInfo,
    ): unknown => {
      const resolved = resolve(typeName, field, parent, args);
      context.ran(pathOf(info), resolved);
      const settle = (): unknown => {
        if (resolved.failed) throw new Error('boom');
        return resolved.value;
      };
      if (way === 0) return Promise.resolve().then(settle);
      if (way === 1) return new Promise((done) => setImmediate(done)).then(settle);
      const value = settle();
      const areItemsPromised = way === 2 && Array.isArray(value) && depthOf(field.type) === 1;
      return areItemsPromised ? value.map((item: unknown) => Promise.resolve(item)) : value;
    };
  }

  return { resolvers };
}

function pathOf(info: GraphQLResolveInfo): Path {
  const path: (string | number)[] = [];
  for (let at: GraphQLResolveInfo['path'] | undefined = info.path; at !== undefined; at = at.prev) path.unshift(at.key);
  return path;
}

export interface Schemas {
  /** All types nullable, every resolver heard: what there is to know. */
  readonly transparent: GraphQLSchema;
  readonly unprotected: GraphQLSchema;
  readonly guarded: GraphQLSchema;
  /** How many places have rules in the map. */
  readonly moved: number;
}

function extendsChildInterface({ composites }: SchemaModel): boolean {
  return [...composites.values()].some(
    ({ kind, interfaces, extended }) =>
      kind === 'interface' && interfaces.length > 0 && extended.fields + extended.rules > 0,
  );
}

export type Guard = (schema: GraphQLSchema, options: Parameters<typeof protectSchema>[1]) => GraphQLSchema;

export function createSchemas(model: SchemaModel, guard: Guard = protectSchema): Schemas {
  const world = createWorld(model);
  const { model: written, rules } = movedRules(model);
  const make = (withRules: boolean, isNullable: boolean): GraphQLSchema => {
    const typeDefs = [...(withRules ? [authDirectives()] : []), ...printModel(written, { withRules, isNullable })];
    const resolvers = world.resolvers(!isNullable);
    const resolverValidationOptions = { requireResolversForResolveType: 'ignore' } as const;
    // graphql-tools merges extensions into what they extend; graphql itself keeps them apart. With graphql 17
    // graphql-tools loses what an interface implements when it merges an extension into it.
    const isMerged = model.seed % 2 === 0 && !extendsChildInterface(model);
    return isMerged
      ? makeExecutableSchema({ typeDefs, resolvers, resolverValidationOptions })
      : addResolversToSchema({ schema: buildSchema(typeDefs.join('\n')), resolvers, resolverValidationOptions });
  };
  const policies: Record<string, Policy | DecisionPointPolicy> = Object.fromEntries(
    POLICIES.map((name) => [name, policy(name)]),
  );
  if (model.seed % 5 < 3) policies.slowEven = decisionPointPolicy('slowEven', model.seed % 5);
  const guarded = guard(make(true, false), {
    pdp: decisionPoint(model.seed % 3),
    policies,
    rules,
    masks: masksOf(model),
    unprotected: model.unprotected,
    enforce: model.enforce,
    onUnprotected: () => {},
  });
  const moved = Object.keys(rules).length;
  return { transparent: make(false, true), unprotected: make(false, false), guarded, moved };
}

/** At once, as a promise, or many at a time. */
function decisionPoint(way: number): PolicyDecisionPoint {
  const decide: PolicyDecisionPoint['decide'] = ({ subject, action }) => {
    if (action === 'broken') throw new Error('no decision');
    const { permissions } = subject.attributes;
    return Array.isArray(permissions) && permissions.includes(action) ? allow('permission') : deny('no_permission');
  };
  if (way === 0) return { decide };
  const later: PolicyDecisionPoint['decide'] = async (request) => decide(request);
  if (way === 1) return { decide: later };
  return {
    decide: later,
    decideAll: async (requests) =>
      requests.map((request) =>
        request.action === 'broken' ? deny('error') : (decide(request) as ReturnType<typeof deny>),
      ),
  };
}

function policy(name: string): Policy {
  return ({ principal, resource }) => {
    if (name === 'throws') throw new Error('no answer');
    if (name === 'mute') return undefined as never;
    if (name === 'slowRejects') return Promise.reject(new Error('no answer'));
    const answer = policyAnswer(name, principal, resource) === 'yes';
    return name === 'slowEven' ? Promise.resolve(answer) : answer;
  };
}

/** The same as {@link policy}, asked of a decision point: at once, as a promise, or many at a time. */
function decisionPointPolicy(name: string, way: number): DecisionPointPolicy {
  const decide = ({ subject, resource }: AccessRequest): Decision =>
    policyAnswer(name, subject, resource.attributes.it) === 'yes' ? allow('rule') : deny('rule');
  const pdps: readonly PolicyDecisionPoint[] = [
    { isSynchronous: true, decide },
    { decide: async (request) => decide(request) },
    { decide: () => deny('error'), decideAll: async (requests) => requests.map(decide) },
  ];
  return {
    action: 'ask',
    resource: ({ resource }) => ({ type: 'Thing', attributes: { it: resource } }),
    pdp: pdps[way] ?? { decide },
  };
}

function masksOf(model: SchemaModel): Record<string, (value: unknown) => unknown> {
  const masks: Record<string, (value: unknown) => unknown> = {};
  for (const type of model.composites.values()) {
    if (type.kind === 'interface') continue;
    const declaring = [type, ...type.interfaces.flatMap((name) => model.composites.get(name) ?? [])];
    for (const field of type.fields) {
      const declared = declaring.flatMap(({ fields }) => fields.filter(({ name }) => name === field.name));
      const rules = declared.flatMap(({ rules }) => rules).filter(({ onDeny }) => onDeny === 'MASK');
      const [rule] = rules;
      if (rule === undefined) continue;
      const hidden = depthOf(field.type) > 0 && rule.from !== 'RESULT' ? [] : '***';
      masks[`${type.name}.${field.name}`] = () => hidden;
    }
  }
  return masks;
}
