import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest } from '../../core/index.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributeRef, Condition } from '../policy/policy.ts';
import { comparison, ending, equal, greater, greaterOrEqual, less, lessOrEqual, starting } from './comparison.ts';
import type { Compiled, Outcome } from './compiled.ts';
import { hasElement, isElement } from './membership.ts';
import { compileOperand } from './operand.ts';

/** Turns a condition, once, into closures. */
export function compile(condition: Condition): Compiled {
  if ('and' in condition) return junction(condition.and, false);
  if ('or' in condition) return junction(condition.or, true);
  if ('not' in condition) return negation(compile(condition.not));
  if ('eq' in condition) return comparison(equal, condition.eq);
  if ('ne' in condition) return negation(comparison(equal, condition.ne));
  if ('lt' in condition) return comparison(less, condition.lt);
  if ('lte' in condition) return comparison(lessOrEqual, condition.lte);
  if ('gt' in condition) return comparison(greater, condition.gt);
  if ('gte' in condition) return comparison(greaterOrEqual, condition.gte);
  if ('startsWith' in condition) return comparison(starting, condition.startsWith);
  if ('endsWith' in condition) return comparison(ending, condition.endsWith);
  if ('in' in condition) return isElement(condition.in);
  if ('contains' in condition) return hasElement(condition.contains);
  if ('present' in condition) return presence(condition.present);
  throw configInvalid('predicates', 'has no such predicate');
}

/** `and` is settled by the first part that is false, `or` by the first that is true. */
function junction(conditions: readonly Condition[], settling: boolean): Compiled {
  const parts = conditions.map(compile);
  const tests = parts.map((part) => part.test);
  const test = (request: AccessRequest): Outcome => {
    let outcome: Outcome = !settling;
    for (const part of tests) {
      const settled = part(request);
      if (settled === settling) return settling;
      if (settled === undefined) outcome = undefined;
    }
    return outcome;
  };
  const explain = (request: AccessRequest, wanted: boolean): string => {
    const outcome = test(request);
    const decisive = parts.filter((part) => part.test(request) === outcome);
    const named = outcome === !settling ? decisive : decisive.slice(0, 1);
    return [...new Set(named.map((part) => part.explain(request, wanted)))].join(', ');
  };
  return { test, explain };
}

function negation({ test, explain }: Compiled): Compiled {
  return {
    test: (request) => {
      const outcome = test(request);
      return outcome === undefined ? undefined : !outcome;
    },
    explain: (request, wanted) => explain(request, !wanted),
  };
}

function presence(attribute: AttributeRef): Compiled {
  const operand = compileOperand(attribute);
  const test = (request: AccessRequest): boolean => {
    const value = operand.read(request);
    return isScalar(value) || Array.isArray(value);
  };
  return {
    test,
    explain: (request, wanted) => {
      const wish = test(request) === wanted ? '' : ` (wants ${wanted ? 'a' : 'no'} value)`;
      return operand.explain(request) + wish;
    },
  };
}
