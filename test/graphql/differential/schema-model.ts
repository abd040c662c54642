import type { Choices } from './choices.ts';
import { type Application, type From, type OnDeny, type Place, randomApplication } from './conditions.ts';

/** A type as a field or an argument has it. */
export type TypeRef =
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'list' | 'nonNull'; readonly of: TypeRef };

export interface InputModel {
  readonly name: string;
  readonly type: TypeRef;
  readonly default: string | undefined;
  rules: readonly Application[];
}

export interface FieldModel {
  readonly name: string;
  readonly type: TypeRef;
  readonly args: readonly InputModel[];
  /** Has no resolver: the object holds the value. */
  readonly isPlain: boolean;
  rules: readonly Application[];
  isPublic: boolean;
}

export interface CompositeModel {
  readonly name: string;
  readonly kind: 'type' | 'interface';
  /** All of them, at any distance. */
  readonly interfaces: readonly string[];
  readonly fields: readonly FieldModel[];
  rules: readonly Application[];
  isPublic: boolean;
  /** How many fields and rules stand in an extension, in another module. */
  readonly extended: { readonly fields: number; readonly rules: number };
}

export interface SchemaModel {
  readonly seed: number;
  readonly unprotected: 'allow' | 'deny';
  readonly enforce: 'field' | 'operation';
  readonly composites: ReadonlyMap<string, CompositeModel>;
  readonly unions: ReadonlyMap<string, { readonly members: readonly string[]; rules: readonly Application[] }>;
  /** Scalars and the enum `E`. */
  readonly leaves: ReadonlyMap<string, { rules: readonly Application[] }>;
  readonly inputs: ReadonlyMap<string, { readonly fields: readonly InputModel[]; rules: readonly Application[] }>;
}

export const ENUM_VALUES = ['A', 'B'] as const;
const ROOTS: readonly string[] = ['Query', 'Mutation'];
const named = (name: string): TypeRef => ({ kind: 'named', name });
const list = (of: TypeRef): TypeRef => ({ kind: 'list', of });
export const nonNull = (of: TypeRef): TypeRef => (of.kind === 'nonNull' ? of : { kind: 'nonNull', of });
export const nullable = (type: TypeRef): TypeRef => (type.kind === 'nonNull' ? type.of : type);

export function nameOf(type: TypeRef): string {
  return type.kind === 'named' ? type.name : nameOf(type.of);
}

export function depthOf(type: TypeRef): number {
  if (type.kind === 'named') return 0;
  return depthOf(type.of) + (type.kind === 'list' ? 1 : 0);
}

function isItemNullable(type: TypeRef): boolean {
  if (type.kind === 'named') return true;
  return type.kind === 'nonNull' ? nullable(type).kind === 'list' && isItemNullable(type.of) : isItemNullable(type.of);
}

export function isLeaf(model: Pick<SchemaModel, 'composites' | 'unions'>, name: string): boolean {
  return !model.composites.has(name) && !model.unions.has(name);
}

/** The object types that a value of a composite type may have. */
export function possibleTypes({ composites, unions }: SchemaModel, name: string): readonly string[] {
  const union = unions.get(name);
  if (union !== undefined) return union.members;
  const objects = [...composites.values()].filter(({ kind }) => kind === 'type');
  return objects.filter((type) => type.name === name || type.interfaces.includes(name)).map((type) => type.name);
}

/** The object or interface itself and its interfaces. */
export function lineage({ composites }: SchemaModel, name: string): readonly CompositeModel[] {
  const type = composites.get(name);
  if (type === undefined) return [];
  return [type, ...type.interfaces.flatMap((each) => composites.get(each) ?? [])];
}

/** A schema without rules: fields of one name are alike everywhere, so that any two of them merge. */
function randomStructure(choose: Choices): SchemaModel {
  const interfaces = ['I0', 'I1', 'I2'].slice(0, choose.below(4));
  const objects = ['O0', 'O1', 'O2', 'O3'].slice(0, Math.max(interfaces.length, 1 + choose.below(4)));
  const unionNames = ['U0', 'U1'].slice(0, choose.below(3));
  const outputs = ['String', 'S', 'E', 'String', 'S', ...objects, ...interfaces, ...unionNames, ...interfaces];

  const inherits = interfaces.includes('I2') && choose.chance(50);
  const withInherited = (names: readonly string[]): readonly string[] =>
    inherits && names.includes('I2') && !names.includes('I0') ? [...names, 'I0'] : names;
  const implemented = new Map(
    objects.map((name, index) => {
      const own = interfaces.filter((_, at) => at === index || choose.chance(25));
      return [name, withInherited(own)];
    }),
  );

  const inputFields = (names: readonly string[]): readonly InputModel[] => randomInputs(choose, names);
  const inputs = new Map([
    ['N', { fields: inputFields(['x', 'ownerId', 's', 'e']), rules: [] }],
    ['M', { fields: inputFields(['x', 'n', 'ns', 'again']), rules: [] }],
  ]);
  const pool = Array.from({ length: 8 }, (_, index) => {
    const name = choose.of(outputs);
    const args = choose.chance(40) ? inputFields(choose.some(['flag', 'ownerId', 's', 'e', 'n', 'm', 'ns'], 30)) : [];
    return {
      name: `f${index}`,
      type: randomWraps(choose, named(name)),
      args,
      isPlain: args.length === 0 && choose.chance(25),
    };
  });

  const composites = new Map<string, CompositeModel>();
  function add(
    name: string,
    kind: 'type' | 'interface',
    parents: readonly string[],
    own: readonly (typeof pool)[number][],
  ): void {
    const inherited = new Map(
      parents.flatMap((each) => composites.get(each)?.fields ?? []).map((field) => [field.name, field]),
    );
    const wanted = new Set([...inherited.keys(), ...own.map((field) => field.name)]);
    const fields = pool
      .filter((field) => wanted.has(field.name))
      .map((field): FieldModel => {
        const parentsRequire = parents.some((each) =>
          composites.get(each)?.fields.some((same) => same.name === field.name && same.type.kind === 'nonNull'),
        );
        const narrower = kind === 'type' && choose.chance(20) ? narrowed(field.type) : field.type;
        const type = parentsRequire || choose.chance(20) ? nonNull(narrower) : narrower;
        // Objects hold values; there is no object around a root field.
        const isHeld = ['String', 'S', 'E'].includes(nameOf(type)) && kind === 'type' && !ROOTS.includes(name);
        return {
          ...field,
          type,
          isPlain: isHeld && field.isPlain,
          args: field.args.map((arg) => ({ ...arg })),
          rules: [],
          isPublic: false,
        };
      });
    const extended = { fields: choose.chance(30) ? choose.below(fields.length) : 0, rules: choose.below(3) };
    composites.set(name, { name, kind, interfaces: parents, fields, rules: [], isPublic: false, extended });
  }
  /** An object type in the place of an interface that it implements. */
  function narrowed(type: TypeRef): TypeRef {
    if (type.kind !== 'named') return { kind: type.kind, of: narrowed(type.of) };
    const able = objects.filter((object) => implemented.get(object)?.includes(type.name));
    return able.length === 0 ? type : named(choose.of(able));
  }
  const some = () => [choose.of(pool), ...choose.some(pool, 20)];

  for (const name of interfaces) add(name, 'interface', inherits && name === 'I2' ? ['I0'] : [], some());
  for (const name of objects) add(name, 'type', implemented.get(name) ?? [], some());
  add('Query', 'type', [], [...some(), choose.of(pool), choose.of(pool), choose.of(pool)]);
  add('Mutation', 'type', [], some());

  const unions = new Map(
    unionNames.map((name) => [
      name,
      { members: [objects[0] ?? 'O0', ...choose.some(objects.slice(1), 60)], rules: [] },
    ]),
  );
  const leaves = new Map(['S', 'E'].map((name) => [name, { rules: [] }]));
  const unprotected = choose.chance(20) ? 'deny' : 'allow';
  const enforce = choose.chance(15) ? 'operation' : 'field';
  return { seed: choose.below(10_000), unprotected, enforce, composites, unions, leaves, inputs };
}

function randomWraps(choose: Choices, type: TypeRef): TypeRef {
  const depth = choose.of([0, 0, 1, 0, 1, 2]);
  let wrapped = type;
  for (let level = 0; level < depth; level++) wrapped = list(choose.chance(25) ? nonNull(wrapped) : wrapped);
  return wrapped;
}

function randomInputs(choose: Choices, names: readonly string[]): readonly InputModel[] {
  const kinds: Readonly<Record<string, readonly [TypeRef, string]>> = {
    flag: [named('Boolean'), 'true'],
    x: [named('String'), '"x"'],
    ownerId: [named('ID'), '"u1"'],
    s: [named('S'), '"s"'],
    e: [named('E'), 'A'],
    n: [named('N'), '{ x: "d" }'],
    m: [named('M'), '{ n: { ownerId: "u2" } }'],
    again: [named('M'), '{ x: "d" }'],
    ns: [list(nonNull(named('N'))), '[{ x: "d" }]'],
  };
  return names.map((name) => {
    const [type, preset] = kinds[name] ?? [named('String'), '""'];
    // A default in an input type that holds itself would have no end.
    return { name, type, default: name !== 'again' && choose.chance(20) ? preset : undefined, rules: [] };
  });
}

/** A schema with rules wherever rules may stand, all of which build. */
export function randomSchema(forStructure: Choices, choose: Choices): SchemaModel {
  const model = randomStructure(forStructure);
  const density = choose.of([8, 3, 15, 30]);
  const some = (place: Place): readonly Application[] =>
    choose.chance(density) ? Array.from({ length: choose.of([1, 1, 2]) }, () => randomApplication(choose, place)) : [];
  const simple = (owners: readonly string[], takesAuthenticated: boolean): Place => ({
    owners: () => owners,
    froms: [undefined],
    denials: () => [undefined, undefined, 'ERROR'],
    takesAuthenticated,
  });
  const ownerPaths = ['ownerId', 'meta.owner'];

  for (const leaf of model.leaves.values()) leaf.rules = some(simple([], true));
  for (const union of model.unions.values()) union.rules = some(simple([], true));
  for (const input of model.inputs.values()) {
    input.rules = some(simple(['ownerId'], false));
    for (const field of input.fields) field.rules = some(simple(['ownerId'], false));
  }
  for (const type of model.composites.values()) {
    type.rules = some(simple(ROOTS.includes(type.name) ? [] : ownerPaths, true));
    for (const field of type.fields) {
      field.rules = [
        ...some(fieldPlace(model, type, field, ownerPaths)),
        ...some(fieldPlace(model, type, field, ownerPaths)),
      ];
      for (const arg of field.args) arg.rules = some(simple(['ownerId'], false));
    }
  }
  for (const type of model.composites.values()) {
    if (type.kind === 'interface') continue;
    if (type.interfaces.length === 0 && type.rules.length === 0) type.isPublic = choose.chance(20);
    for (const field of type.fields) {
      if (rulesReaching(model, type.name, field.name) === 0) field.isPublic = choose.chance(30);
    }
    if (lineage(model, type.name).some(({ rules }) => rules.length > 0)) type.isPublic = false;
  }
  return model;
}

/** What a rule on a field may say, so that it builds on every object type that has it from there. */
function fieldPlace(model: SchemaModel, type: CompositeModel, field: FieldModel, ownerPaths: readonly string[]): Place {
  const all = possibleTypes(model, type.name).flatMap(
    (name) => model.composites.get(name)?.fields.find((same) => same.name === field.name) ?? [],
  );
  const isRoot = ROOTS.includes(type.name);
  const isMutation = type.name === 'Mutation';
  const hasOwnerArgument = all.every(({ args }) => args.some(({ name }) => name === 'ownerId'));
  const froms: readonly From[] = isMutation
    ? ['ARGS']
    : isRoot
      ? ['ARGS', 'RESULT']
      : ['PARENT', 'ARGS', 'RESULT', 'RESULT'];
  const masksResult = Number(field.name.slice(1)) % 2 === 0;
  return {
    owners(from) {
      if ((from ?? (isRoot ? 'ARGS' : 'PARENT')) === 'ARGS') return hasOwnerArgument ? ['ownerId'] : [];
      return ownerPaths;
    },
    froms: [undefined, ...froms],
    denials(from) {
      const onResult = from === 'RESULT';
      const possible: (OnDeny | undefined)[] = onResult ? [undefined] : [undefined, undefined];
      if (all.every((same) => (onResult ? isItemNullable(same.type) : same.type.kind !== 'nonNull'))) {
        possible.push('NULL', 'NULL');
      }
      if (onResult && depthOf(field.type) > 0) possible.push('FILTER', 'FILTER', 'FILTER');
      const maskable = ['String', 'S'].includes(nameOf(field.type));
      if (!isMutation && maskable && masksResult === onResult) possible.push('MASK', 'MASK', 'MASK');
      return possible;
    },
    takesAuthenticated: true,
  };
}

/** How many rules there are that close a field to anonymous callers. */
export function rulesReaching(model: SchemaModel, typeName: string, fieldName: string): number {
  const types = lineage(model, typeName);
  const fields = types.flatMap(({ fields }) => fields.filter(({ name }) => name === fieldName));
  const returned = nameOf(fields[0]?.type ?? named('String'));
  const places = [
    ...types,
    ...fields,
    ...lineage(model, returned),
    ...[model.unions.get(returned) ?? [], model.leaves.get(returned) ?? []].flat(),
  ];
  return places.reduce((sum, { rules }) => sum + rules.length, 0);
}

interface PrintOptions {
  readonly withRules: boolean;
  /** Every output type without its non-nulls. */
  readonly isNullable: boolean;
}

/** The SDL of the schema, as two modules. */
export function printModel(model: SchemaModel, { withRules, isNullable }: PrintOptions): readonly [string, string] {
  const directives = (rules: readonly Application[], isPublic = false): string =>
    withRules ? [...rules.map(({ text }) => ` ${text}`), ...(isPublic ? [' @public'] : [])].join('') : '';
  const output = (type: TypeRef): string => printType(isNullable ? withoutNonNull(type) : type);
  const input = ({ name, type, default: preset, rules }: InputModel): string =>
    `${name}: ${printType(type)}${preset === undefined ? '' : ` = ${preset}`}${directives(rules)}`;
  const field = ({ name, args, type, rules, isPublic }: FieldModel): string =>
    `  ${name}${args.length === 0 ? '' : `(${args.map(input).join(', ')})`}: ${output(type)}${directives(rules, isPublic)}`;
  const block = (fields: readonly string[]): string => (fields.length === 0 ? '' : ` {\n${fields.join('\n')}\n}`);

  const first: string[] = [];
  const second: string[] = [];
  for (const [name, { rules }] of model.leaves) {
    first.push(
      name === 'E' ? `enum E${directives(rules)} { ${ENUM_VALUES.join(' ')} }` : `scalar ${name}${directives(rules)}`,
    );
  }
  for (const [name, { fields, rules }] of model.inputs) {
    first.push(`input ${name}${directives(rules)}${block(fields.map((each) => `  ${input(each)}`))}`);
  }
  for (const [name, { members, rules }] of model.unions) {
    second.push(`union ${name}${directives(rules)} = ${members.join(' | ')}`);
  }
  for (const { name, kind, interfaces, fields, rules, isPublic, extended } of model.composites.values()) {
    const kept = fields.length - extended.fields;
    const keptRules = Math.max(0, rules.length - extended.rules);
    const implementing = interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`;
    const [own, others] = [fields.slice(0, kept), fields.slice(kept)];
    first.push(
      `${kind} ${name}${implementing}${directives(rules.slice(0, keptRules), isPublic)}${block(own.map(field))}`,
    );
    const later = directives(rules.slice(keptRules));
    if (others.length > 0 || later !== '') second.push(`extend ${kind} ${name}${later}${block(others.map(field))}`);
  }
  return [first.join('\n'), second.join('\n') || 'directive @unused on FIELD'];
}

export function printType(type: TypeRef): string {
  if (type.kind === 'named') return type.name;
  return type.kind === 'list' ? `[${printType(type.of)}]` : `${printType(type.of)}!`;
}

function withoutNonNull(type: TypeRef): TypeRef {
  if (type.kind === 'named') return type;
  return type.kind === 'nonNull' ? withoutNonNull(type.of) : list(withoutNonNull(type.of));
}
