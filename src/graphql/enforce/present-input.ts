import type { InputRules, InputTypeRules } from '../compile/plan.ts';
import type { Rule } from '../rules/rule.ts';

/** A rule on a value that the caller has given, and the object that holds the value. */
export interface PresentRule {
  readonly rule: Rule;
  readonly resource: object;
}

/**
 * Walks coerced arguments (literals, variables and defaults are the same by then) through lists and nested
 * inputs, and finds the rules on what is present. An explicit null is present: writing null is writing. A rule that
 * asks only for the principal is found once, however many values the caller gives.
 */
export function presentInput(
  input: readonly InputRules[],
  args: object,
  types: ReadonlyMap<string, InputTypeRules>,
): readonly PresentRule[] {
  const found: PresentRule[] = [];
  const ofPrincipal = new Set<Rule>();

  function note(rule: Rule, resource: object): void {
    if (rule.principalOnly) {
      if (ofPrincipal.has(rule)) return;
      ofPrincipal.add(rule);
    }
    found.push({ rule, resource });
  }

  function fields(holder: object, rules: readonly InputRules[]): void {
    for (const field of rules) {
      if (!Object.hasOwn(holder, field.name)) continue;
      for (const rule of field.rules) note(rule, holder);
      const type = types.get(field.type.name);
      if (type !== undefined) values(Reflect.get(holder, field.name), type);
    }
  }

  function values(value: unknown, type: InputTypeRules): void {
    if (Array.isArray(value)) {
      for (const item of value) values(item, type);
    } else if (typeof value === 'object' && value !== null) {
      for (const rule of type.rules) note(rule, value);
      fields(value, type.fields);
    }
  }

  fields(args, input);
  return found;
}
