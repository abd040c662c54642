import type { Choices } from './choices.ts';
import {
  ENUM_VALUES,
  type InputModel,
  isLeaf,
  nameOf,
  nullable,
  possibleTypes,
  printType,
  type SchemaModel,
  type TypeRef,
} from './schema-model.ts';

/** An operation as a client sends it. */
export interface RandomDocument {
  readonly source: string;
  readonly operationName: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Names that objects inherit, as aliases. */
const ODD_ALIASES = ['__proto__', 'constructor', 'toString', 'then', 'hasOwnProperty'];

/**
 * A document for a schema: aliases, fragments of both kinds, `@skip` and `@include`, variables and their defaults.
 *
 * @param aliasAll - gives every field an alias, which makes any two fields merge
 */
export function randomDocument(model: SchemaModel, choose: Choices, aliasAll: boolean): RandomDocument {
  const fragments: { readonly name: string; readonly on: string; readonly text: string }[] = [];
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};
  const odd = [...ODD_ALIASES];
  let aliases = 0;
  let budget = 60;

  function selections(typeName: string, depth: number): string {
    const count = choose.of([2, 1, 3, 4]);
    const chosen = Array.from({ length: count }, () => selection(typeName, depth)).filter((each) => each !== '');
    return `{ ${chosen.length > 0 ? chosen.join(' ') : '__typename'} }`;
  }

  function selection(typeName: string, depth: number): string {
    budget--;
    const way = budget < 0 ? 0 : choose.of([0, 0, 0, 0, 0, 1, 2, 3]);
    if (way === 1) return `__typename${condition()}`;
    if (way >= 2 && depth > 0) return fragment(typeName, depth, way === 3);
    const fields = (model.composites.get(typeName)?.fields ?? []).filter(
      ({ type }) => (depth > 0 && budget > 0) || isLeaf(model, nameOf(type)),
    );
    if (fields.length === 0) return depth > 0 && budget > 0 ? fragment(typeName, depth, false) : '__typename';
    const field = choose.of(fields);
    const args = argumentsOf(field.args);
    const alias = aliasAll || args !== '' || choose.chance(25) ? `${aliasName()}: ` : '';
    const inner = isLeaf(model, nameOf(field.type)) ? '' : ` ${selections(nameOf(field.type), depth - 1)}`;
    return `${alias}${field.name}${args}${condition()}${inner}`;
  }

  function aliasName(): string {
    if (odd.length > 0 && choose.chance(5)) return odd.splice(choose.below(odd.length), 1)[0] ?? 'odd';
    return `a${aliases++}`;
  }

  function fragment(typeName: string, depth: number, isNamed: boolean): string {
    const on = choose.of([typeName, ...overlapping(typeName)]);
    const known = fragments.filter((each) => each.on === on || overlapping(typeName).includes(each.on));
    if (isNamed && known.length > 0 && choose.chance(50)) return `...${choose.of(known).name}${condition()}`;
    if (!isNamed) {
      const untyped = on === typeName && choose.chance(30);
      return `...${untyped ? '' : ` on ${on}`}${condition()} ${selections(on, depth - 1)}`;
    }
    const text = selections(on, depth - 1);
    const name = `F${fragments.length}`;
    fragments.push({ name, on, text });
    return `...${name}${condition()}`;
  }

  /** Composite types that share an object type with this one. */
  function overlapping(typeName: string): readonly string[] {
    const own = possibleTypes(model, typeName);
    const all = [...model.composites.keys(), ...model.unions.keys()];
    return all.filter((name) => possibleTypes(model, name).some((each) => own.includes(each)));
  }

  function condition(): string {
    if (!choose.chance(12)) return '';
    const name = choose.of(['skip', 'include']);
    const value = choose.chance(50);
    if (choose.chance(40)) return ` @${name}(if: ${value})`;
    const variable = `v${declared.length}`;
    const way = choose.below(3);
    if (way === 0) variables[variable] = value;
    declared.push(way === 0 ? `$${variable}: Boolean!` : `$${variable}: Boolean${way === 1 ? '!' : ''} = ${value}`);
    return ` @${name}(if: $${variable})`;
  }

  function argumentsOf(args: readonly InputModel[]): string {
    const given = choose.some(args, 50).map(({ name, type }) => `${name}: ${value(type, 3)}`);
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  /** A literal, or a variable that is declared, with and without a default, given or not. */
  function value(type: TypeRef, depth: number): string {
    if (type.kind !== 'nonNull' && choose.chance(10)) return 'null';
    if (!choose.chance(30)) return print(type, json(type, depth), depth);
    const variable = `v${declared.length}`;
    const isGiven = type.kind === 'nonNull' || choose.chance(60);
    if (isGiven) variables[variable] = type.kind !== 'nonNull' && choose.chance(10) ? null : json(type, depth);
    const preset = choose.chance(40) ? ` = ${constant(type, json(type, depth))}` : '';
    declared.push(`$${variable}: ${printType(type)}${preset}`);
    return `$${variable}`;
  }

  function json(type: TypeRef, depth: number): unknown {
    const inner = nullable(type);
    if (inner.kind === 'list') return Array.from({ length: choose.of([1, 2, 0]) }, () => json(inner.of, depth));
    switch (nameOf(inner)) {
      case 'Boolean':
        return choose.chance(50);
      case 'ID':
        return choose.of(['u1', 'u2', '']);
      case 'E':
        return choose.of(ENUM_VALUES);
      case 'N':
      case 'M': {
        const fields = depth === 0 ? [] : choose.some(model.inputs.get(nameOf(inner))?.fields ?? [], 45);
        return Object.fromEntries(fields.map((field) => [field.name, json(field.type, depth - 1)]));
      }
      default:
        return choose.of(['x', 'y']);
    }
  }

  /** A literal in which variables may stand for the values of input fields. */
  function print(type: TypeRef, given: unknown, depth: number): string {
    const inner = nullable(type);
    const input = inner.kind === 'named' ? model.inputs.get(inner.name) : undefined;
    if (input === undefined || typeof given !== 'object' || given === null) return constant(type, given);
    const fields = input.fields.filter(({ name }) => name in given);
    return `{ ${fields.map((field) => `${field.name}: ${depth > 0 && choose.chance(30) ? value(field.type, depth - 1) : constant(field.type, Reflect.get(given, field.name))}`).join(', ')} }`;
  }

  function constant(type: TypeRef, given: unknown): string {
    const inner = nullable(type);
    if (given === null || given === undefined) return 'null';
    if (inner.kind === 'list') return `[${(given as unknown[]).map((item) => constant(inner.of, item)).join(', ')}]`;
    const input = model.inputs.get(nameOf(inner));
    if (input !== undefined) {
      const fields = input.fields.filter(({ name }) => name in (given as object));
      return `{ ${fields.map(({ name, type }) => `${name}: ${constant(type, Reflect.get(given as object, name))}`).join(', ')} }`;
    }
    return nameOf(inner) === 'E' ? String(given) : JSON.stringify(given);
  }

  const root = choose.of(['Query', 'Query', 'Query', 'Mutation']);
  const body = selections(root, 4);
  const declarations = declared.length === 0 ? '' : `(${declared.join(', ')})`;
  const operation = `${root.toLowerCase()} Asked${declarations} ${body}`;
  const others = fragments.map(({ name, on, text }) => `fragment ${name} on ${on} ${text}`);
  if (choose.chance(15)) others.push('query Another { __typename }');
  const lines = choose.chance(30) ? [...others, operation] : [operation, ...others];
  return { source: lines.join('\n'), operationName: 'Asked', variables };
}
