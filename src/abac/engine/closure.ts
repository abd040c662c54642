import type { Node } from '../condition/node.ts';
import { comparisonTest, membershipTest, presenceTest } from './leaf.ts';
import { FALSE, negated, type Outcome, type Test, TRUE, UNKNOWN } from './outcome.ts';

/** Turns a condition, once, into closures. */
export function testOf(node: Node, predicates: ReadonlyMap<string, Test>): Test {
  switch (node.kind) {
    case 'and':
    case 'or':
      return junction(
        node.nodes.map((part) => testOf(part, predicates)),
        node.kind === 'or' ? TRUE : FALSE,
      );
    case 'not':
      return negation(testOf(node.node, predicates));
    case 'member':
      return membershipTest(node);
    case 'present':
      return presenceTest(node.attribute);
    case 'predicate':
      return predicates.get(node.name) ?? (() => UNKNOWN);
    default:
      return comparisonTest(node);
  }
}

/** `and` is settled by the first part that is false, `or` by the first that is true. */
function junction(tests: readonly Test[], settling: Outcome): Test {
  const [first, second] = tests;
  if (first !== undefined && tests.length === 1) return first;
  if (first !== undefined && second !== undefined && tests.length === 2) return pair(first, second, settling);
  return (facts) => {
    let outcome = negated(settling);
    for (let i = 0; i < tests.length; i++) {
      const settled = (tests[i] as Test)(facts);
      if (settled === settling) return settling;
      if (settled === UNKNOWN) outcome = UNKNOWN;
    }
    return outcome;
  };
}

function pair(first: Test, second: Test, settling: Outcome): Test {
  return (facts) => {
    const one = first(facts);
    if (one === settling) return settling;
    const other = second(facts);
    return other === settling || one !== UNKNOWN ? other : UNKNOWN;
  };
}

function negation(test: Test): Test {
  return (facts) => negated(test(facts));
}
