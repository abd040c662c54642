import { type Formula, isFalse, isTrue } from '../condition/formula.ts';
import { isConstantTerm, type Leaf, type Node, type Term } from '../condition/node.ts';
import { zonedHour } from '../condition/zoned-hour.ts';
import type { AttributeRef } from '../policy/policy.ts';
import { placeOf, TIME } from './facts.ts';
import { comparing, searching } from './leaf.ts';
import type { Test } from './outcome.ts';

/** A condition as code: the values it needs that no condition before it needed, and when it is true and false. */
export interface Written {
  readonly declarations: string;
  readonly isTrue: string;
  readonly isFalse: string;
}

/** More constants than this are looked up in a set. */
const FEW = 8;

/**
 * Makes the function that writes conditions as JavaScript. Every constant and every name from the policy is written
 * by `JSON.stringify`, which is a literal of JavaScript and no more (ECMA-262 since 2019); whatever is no such
 * literal is put among the `constants` and written as its number there. Every attribute is read once.
 */
export function ruleWriter(constants: unknown[], predicates: ReadonlyMap<string, Test>): (node: Node) => Written {
  const variables = new Map<string, string>();
  let declarations = '';

  const constant = (value: unknown): string => `C[${constants.push(value) - 1}]`;
  const declare = (key: string, source: () => string, keyword = 'const'): string => {
    const known = variables.get(key);
    if (known !== undefined) return known;
    const value = source();
    const name = `v${variables.size}`;
    variables.set(key, name);
    declarations += `${keyword} ${name}=${value};`;
    return name;
  };
  const attribute = (ref: AttributeRef): string =>
    declare(JSON.stringify([ref.attr, ref.timeZone]), () => {
      if (ref.timeZone !== undefined) return `${constant(zonedHour(ref.timeZone))}(f[${TIME}])`;
      const { at, name } = placeOf(ref.attr);
      if (name === undefined) return `f[${at}]`;
      const holder = declare(`holder ${at}`, () => `f[${at}]`);
      const literal = JSON.stringify(name);
      // See the readers of the closures: the same, with the name written out.
      return `${literal} in ${holder}?P(${holder})&&!(${literal} in O)?${holder}[${literal}]:W(${holder},${literal}):undefined`;
    });
  const term = (side: Term): string => (isConstantTerm(side) ? JSON.stringify(side.value) : attribute(side));

  /** Asked when it is needed, and once. */
  const predicate = (name: string): string => {
    const answer = declare(`predicate ${name}`, () => '-1', 'let');
    return `(${answer}<0?${answer}=${constant(predicates.get(name))}(f):${answer})`;
  };

  const leaf = (node: Leaf, outcome: boolean): string => {
    switch (node.kind) {
      case 'predicate':
        return `${predicate(node.name)}===${Number(outcome)}`;
      case 'present': {
        const value = attribute(node.attribute);
        return `${outcome ? '' : '!'}(K(${value})||Array.isArray(${value}))`;
      }
      case 'member':
        return membership(node, outcome);
      default:
        return comparison(node, outcome);
    }
  };

  const membership = (node: Extract<Leaf, { kind: 'member' }>, outcome: boolean): string => {
    const { item, list, emptyIsUnknown } = node;
    if ('values' in list && !isConstantTerm(item) && !emptyIsUnknown && list.values.length <= FEW) {
      const value = attribute(item);
      const isOne = list.values.map((one) => `${value}===${JSON.stringify(one)}`).join('||') || 'false';
      return outcome ? `(${isOne})` : `K(${value})&&!(${isOne})`;
    }
    if (!('values' in list) && isConstantTerm(item) && !emptyIsUnknown) {
      return `S(${attribute(list)},${term(item)},false)===${Number(outcome)}`;
    }
    const elements = 'values' in list ? 'undefined' : attribute(list);
    return `${constant(searching(node))}(${term(item)},${elements})===${Number(outcome)}`;
  };

  const comparison = (node: Extract<Leaf, { left: Term }>, outcome: boolean): string => {
    const { kind, left, right, emptyIsUnknown } = node;
    const [a, b] = [term(left), term(right)];
    if (kind === 'equal') {
      const known = [left, right].map((side) => knownTerm(side, term(side), emptyIsUnknown));
      // Of two equal values, both are known where one is.
      return outcome ? `${a}===${b}&&${known[isConstantTerm(left) ? 1 : 0]}` : `${known.join('&&')}&&${a}!==${b}`;
    }
    const number = [left, right].find((side) => isConstantTerm(side) && typeof side.value === 'number');
    if (kind === 'less' && number !== undefined) {
      return `N(${number === left ? b : a})&&${outcome ? '' : '!'}(${a}<${b})`;
    }
    return `${constant(comparing(node))}(${a},${b})===${Number(outcome)}`;
  };

  const formula = (one: Formula): string => {
    if (one.kind === 'leaf') return leaf(one.leaf, one.outcome);
    const empty = one.kind === 'all' ? 'true' : 'false';
    return one.formulas.map((part) => `(${formula(part)})`).join(one.kind === 'all' ? '&&' : '||') || empty;
  };

  return (node) => {
    declarations = '';
    const [whenTrue, whenFalse] = [formula(isTrue(node)), formula(isFalse(node))];
    return { declarations, isTrue: whenTrue, isFalse: whenFalse };
  };
}

function knownTerm(side: Term, source: string, emptyIsUnknown: boolean): string {
  const notEmpty = emptyIsUnknown ? `&&${source}!==""` : '';
  return isConstantTerm(side) ? `true${notEmpty}` : `K(${source})${notEmpty}`;
}
