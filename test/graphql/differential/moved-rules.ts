import type { RuleMap } from 'doorward/graphql';
import { parseConstValue, valueFromASTUntyped } from 'graphql';
import { type Application, hash } from './conditions.ts';
import type { SchemaModel } from './schema-model.ts';

type Entry = 'public' | object;

/** Moves some of the rules of a model from its SDL into a map by coordinate, where they mean the same. */
export function movedRules(model: SchemaModel): { readonly model: SchemaModel; readonly rules: RuleMap } {
  const rules: Record<string, Entry> = {};

  /** All rules of a place, or none, or every other one. */
  function stays<Ruled extends { readonly rules: readonly Application[] }>(place: Ruled, coordinate: string): Ruled {
    const way = hash(`${model.seed} ${coordinate} moves`) % 6;
    const moves = (index: number): boolean => way === 0 || (way === 1 && index % 2 === 0);
    const moved = place.rules.filter((_, index) => moves(index)).map(({ text }) => argumentsIn(text));
    if (moved.length > 0) rules[coordinate] = moved.length === 1 ? (moved[0] ?? {}) : moved;
    return { ...place, rules: place.rules.filter((_, index) => !moves(index)) };
  }
  function staysPublic<Open extends { readonly isPublic: boolean }>(place: Open, coordinate: string): Open {
    const isMoved = place.isPublic && hash(`${model.seed} ${coordinate} moves`) % 2 === 0;
    if (isMoved) rules[coordinate] = 'public';
    return { ...place, isPublic: place.isPublic && !isMoved };
  }
  const each = <Value>(places: ReadonlyMap<string, Value>, change: (value: Value, name: string) => Value) =>
    new Map([...places].map(([name, value]) => [name, change(value, name)]));

  const rest: SchemaModel = {
    ...model,
    leaves: each(model.leaves, stays),
    unions: each(model.unions, stays),
    inputs: each(model.inputs, (input, name) => ({
      ...stays(input, name),
      fields: input.fields.map((field) => stays(field, `${name}.${field.name}`)),
    })),
    composites: each(model.composites, (type, name) => ({
      ...staysPublic(stays(type, name), name),
      fields: type.fields.map((field) => {
        const coordinate = `${name}.${field.name}`;
        const args = field.args.map((arg) => stays(arg, `${coordinate}(${arg.name}:)`));
        return { ...staysPublic(stays(field, coordinate), coordinate), args };
      }),
    })),
  };
  return { model: rest, rules: rules as RuleMap };
}

/** The arguments of a directive as plain data: of `@auth(roles: ["r"])` `{ roles: ['r'] }`, of `@authenticated` none. */
function argumentsIn(text: string): object {
  const [, written = ''] = /^@\w+(?:\((.*)\))?$/s.exec(text) ?? [];
  return Object.assign({}, valueFromASTUntyped(parseConstValue(`{ ${written} }`)));
}
