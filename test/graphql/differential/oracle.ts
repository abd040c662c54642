import { type Application, type Caller, type Condition, isStatic, type OnDeny, parts, truth } from './conditions.ts';
import {
  depthOf,
  type FieldModel,
  type InputModel,
  isLeaf,
  lineage,
  nameOf,
  type SchemaModel,
  type TypeRef,
} from './schema-model.ts';
import { type Path, pathKey, type Resolved, type Thing } from './world.ts';

export interface Expected {
  readonly data: unknown;
  /** `path: code` of every field that fails; of those that one null swallows, any may be told. */
  readonly errors: readonly { readonly path: Path; readonly code: string }[];
  /** Paths of the fields whose resolvers may run. */
  readonly mayRun: ReadonlySet<string>;
  /** The kinds of denial that were met. */
  readonly met: ReadonlySet<string>;
}

/** A null that its place does not take: the field around it is null then. */
const NULLED: unique symbol = Symbol('nulled');
type Shown = unknown | typeof NULLED;

/** What is left of a value after rules on results: as it was, nothing, an error, a mask, or a list of such. */
type Node =
  | { readonly kind: 'value'; readonly raw: unknown; readonly data: unknown; readonly path: Path }
  | { readonly kind: 'denied' }
  | { readonly kind: 'shown'; readonly value: unknown }
  | { readonly kind: 'list'; readonly items: readonly Node[] };

/**
 * Walks what an execution without rules found and takes away, field by field, what the caller may not have.
 * It reads the model of the schema and nothing of its SDL.
 *
 * @param records - by the path of each field, what its resolver was asked and said
 * @param caller - `undefined` when anonymous
 * @param withRules - without, nothing is denied: then the walk is plain execution
 */
export function expectedResult(
  model: SchemaModel,
  data: unknown,
  records: ReadonlyMap<string, Resolved>,
  caller: Caller | undefined,
  withRules: boolean,
): Expected {
  const errors: { path: Path; code: string }[] = [];
  const mayRun = new Set<string>();
  const met = new Set<string>();

  function object(value: object, path: Path, at: Path): Shown {
    const shown: [string, unknown][] = [];
    let isNulled = false;
    for (const [key, inner] of Object.entries(value)) {
      const record = records.get(pathKey([...path, key]));
      const result = record === undefined ? inner : field(record, inner, [...path, key], [...at, key]);
      if (result === NULLED) isNulled = true;
      shown.push([key, result]);
    }
    return isNulled ? NULLED : Object.fromEntries(shown);
  }

  function field(record: Resolved, inner: unknown, path: Path, at: Path): Shown {
    const declared = model.composites.get(record.typeName)?.fields.find(({ name }) => name === record.fieldName);
    if (declared === undefined) throw new Error(`No field ${record.typeName}.${record.fieldName}`);
    const rules = withRules ? rulesOf(model, record.typeName, declared) : NO_RULES;
    const verdict = withRules ? decideBefore(model, rules, record, declared, caller) : 'OPEN';
    if (verdict === 'UNAUTHENTICATED' || verdict === 'FORBIDDEN') return failed(verdict, declared.type, at);
    if (verdict !== 'OPEN') met.add(verdict);
    if (verdict === 'NULL') return null;
    mayRun.add(pathKey(at));
    if (record.failed) return failed('boom', declared.type, at);
    const depth = depthOf(declared.type);
    let node = afterwards({ kind: 'value', raw: record.value, data: inner, path }, rules.after, depth);
    if (verdict === 'MASK' && node?.kind !== 'denied') node = { kind: 'shown', value: depth > 0 ? [] : '***' };
    return complete(declared.type, node ?? { kind: 'denied' }, at);
  }

  /** The rules on a result, for each item of a list; `undefined` for an item that is left out. */
  function afterwards(node: Node, rules: readonly Placed[], depth: number): Node | undefined {
    if (node.kind !== 'value' || node.raw === null || rules.length === 0) return node;
    const { raw, data, path } = node;
    if (depth > 0) {
      const items = (raw as unknown[]).map((item, index) =>
        afterwards(
          { kind: 'value', raw: item, data: (data as unknown[])[index], path: [...path, index] },
          rules,
          depth - 1,
        ),
      );
      return { kind: 'list', items: items.filter((item) => item !== undefined) };
    }
    for (const onDeny of ['ERROR', 'NULL', 'FILTER', 'MASK'] as const) {
      const denied = rules.some((rule) => rule.onDeny === onDeny && !holds(rule.condition, raw));
      if (!denied) continue;
      met.add(`RESULT ${onDeny}`);
      if (onDeny === 'ERROR') return { kind: 'denied' };
      if (onDeny === 'FILTER') return undefined;
      return { kind: 'shown', value: onDeny === 'NULL' ? null : '***' };
    }
    return node;
  }

  function holds(condition: Condition, resource: unknown): boolean {
    return caller !== undefined && truth(condition, caller, resource) === 'yes';
  }

  function complete(type: TypeRef, node: Node, at: Path): Shown {
    if (node.kind === 'denied') return failed('FORBIDDEN', type, at);
    if (type.kind === 'nonNull') {
      const inner = complete(type.of, node, at);
      return inner === null ? NULLED : inner;
    }
    if (node.kind === 'shown') return node.value;
    if (node.kind === 'value' && node.raw === null) return null;
    if (type.kind === 'list') {
      const items = itemsOf(node).map((item, index) => complete(type.of, item, [...at, index]));
      return items.includes(NULLED) ? null : items;
    }
    if (node.kind === 'list') throw new Error('A list in the place of an item');
    if (isLeaf(model, nameOf(type))) return node.data;
    const concrete = (node.raw as Thing).__typename;
    if (withRules && concrete !== nameOf(type)) {
      const rules = lineage(model, concrete).flatMap((each) => each.rules);
      const isDenied = rules.length > 0 && !rules.flatMap(staticParts).every((part) => holds(part, undefined));
      if (isDenied || (rules.length > 0 && caller === undefined)) {
        met.add('concrete type');
        return failed(caller === undefined ? 'UNAUTHENTICATED' : 'FORBIDDEN', type, at);
      }
    }
    const shown = object(node.data as object, node.path, at);
    return shown === NULLED ? null : shown;
  }

  function failed(code: string, type: TypeRef, at: Path): Shown {
    errors.push({ path: at, code });
    return type.kind === 'nonNull' ? NULLED : null;
  }

  const shown = object(data as object, [], []);
  return { data: shown === NULLED ? null : shown, errors, mayRun, met };
}

function itemsOf(node: Node): readonly Node[] {
  if (node.kind === 'list') return node.items;
  if (node.kind !== 'value') return [];
  const { raw, data, path } = node;
  return (raw as unknown[]).map((item, index) => ({
    kind: 'value',
    raw: item,
    data: (data as unknown[])[index],
    path: [...path, index],
  }));
}

/** One rule on a field, and where it looks. */
interface Placed {
  readonly condition: Condition;
  readonly from: 'ARGS' | 'PARENT' | 'RESULT';
  readonly onDeny: OnDeny;
}

interface FieldRules {
  /** Whether an anonymous caller is refused. */
  readonly isClosed: boolean;
  /** What depends on the caller alone. */
  readonly gate: readonly Condition[];
  readonly before: readonly Placed[];
  readonly after: readonly Placed[];
}

const NO_RULES: FieldRules = { isClosed: false, gate: [], before: [], after: [] };

function rulesOf(model: SchemaModel, typeName: string, field: FieldModel): FieldRules {
  const isRoot = typeName === 'Query' || typeName === 'Mutation';
  const types = lineage(model, typeName);
  const returned = nameOf(field.type);
  const ofReturned = lineage(model, returned).flatMap(({ rules }) => rules);
  const ofOther = model.unions.get(returned)?.rules ?? model.leaves.get(returned)?.rules ?? [];
  const ofField = types
    .flatMap(({ fields }) => fields.filter(({ name }) => name === field.name))
    .flatMap(({ rules }) => rules);
  const all = [...types.flatMap(({ rules }) => rules), ...ofField, ...ofOther];

  const placed = all.map(
    ({ condition, from, onDeny }): Placed => ({
      condition,
      from: from ?? (isRoot ? 'ARGS' : 'PARENT'),
      onDeny: onDeny ?? 'ERROR',
    }),
  );
  const isPublic = field.isPublic || model.composites.get(typeName)?.isPublic === true;
  const hasRule = all.length + ofReturned.length > 0;
  const isShut = !hasRule && !isPublic && model.unprotected === 'deny';
  return {
    isClosed: hasRule || isShut,
    gate: [
      ...ofReturned.flatMap(staticParts),
      ...placed.filter(({ onDeny }) => onDeny === 'ERROR').flatMap(staticParts),
      ...(isShut ? [{ kind: 'any', members: [] } as const] : []),
    ],
    before: placed.filter(({ from }) => from !== 'RESULT'),
    after: placed.filter(({ from }) => from === 'RESULT'),
  };
}

/** What is known of a rule before there is anything to look at. */
function staticParts({ condition }: Pick<Application, 'condition'>): readonly Condition[] {
  return parts(condition).filter(isStatic);
}

type Verdict = 'OPEN' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NULL' | 'MASK';

function decideBefore(
  model: SchemaModel,
  { isClosed, gate, before }: FieldRules,
  { typeName, fieldName, parent, args }: Resolved,
  field: FieldModel,
  caller: Caller | undefined,
): Verdict {
  const present: { readonly condition: Condition; readonly resource: unknown }[] = [];
  const same = lineage(model, typeName).flatMap(({ fields }) => fields.filter(({ name }) => name === fieldName));
  for (const { name } of field.args) {
    const declarations = same.flatMap((each) => each.args.filter((arg) => arg.name === name));
    for (const declaration of declarations) visit(declaration, args);
  }
  function visit({ name, type, rules }: InputModel, holder: object): void {
    if (!Object.hasOwn(holder, name)) return;
    const ofLeaf = model.leaves.get(nameOf(type))?.rules ?? [];
    for (const { condition } of [...rules, ...ofLeaf]) present.push({ condition, resource: holder });
    into(type, Reflect.get(holder, name));
  }
  function into(type: TypeRef, value: unknown): void {
    if (Array.isArray(value)) for (const item of value) into(type, item);
    else if (typeof value === 'object' && value !== null) {
      const input = model.inputs.get(nameOf(type));
      for (const { condition } of input?.rules ?? []) present.push({ condition, resource: value });
      for (const each of input?.fields ?? []) visit(each, value);
    }
  }

  if (!isClosed && present.length === 0) return 'OPEN';
  if (caller === undefined) return 'UNAUTHENTICATED';
  const holds = (condition: Condition, resource: unknown): boolean => truth(condition, caller, resource) === 'yes';
  if (!gate.every((condition) => holds(condition, undefined))) return 'FORBIDDEN';
  if (!present.every(({ condition, resource }) => holds(condition, resource))) return 'FORBIDDEN';
  const denied = before.filter(({ condition, from }) => !holds(condition, from === 'ARGS' ? args : parent));
  const [first] = (['ERROR', 'NULL', 'MASK'] as const).filter((way) => denied.some(({ onDeny }) => onDeny === way));
  return first === 'ERROR' ? 'FORBIDDEN' : (first ?? 'OPEN');
}
