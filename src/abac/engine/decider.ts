import type { AccessRequest, Decision } from '../../core/index.ts';
import { isField, namesIn, type Part } from '../condition/attribute.ts';
import { attributesOf, leavesIn } from '../condition/node.ts';
import { keyOf, searchOf } from './candidates.ts';
import { canGenerateCode, generated } from './code.ts';
import type { Answer } from './decision.ts';
import { link } from './link.ts';
import type { Known } from './literal.ts';
import type { Predicate } from './predicates.ts';
import type { OrderedRule } from './rules.ts';
import { sharedSources } from './value-source.ts';
import { type Names, viewOf } from './view.ts';

export interface Compiling {
  readonly rules: readonly OrderedRule[];
  readonly predicates: ReadonlyMap<string, Predicate>;
  readonly answer: Answer;
  readonly generateCode: boolean;
}

/** A function of more rules than this is so large that the compiler would not optimise it. */
const MANY = 300;

type Decide = (request: AccessRequest) => Decision;

/** Makes the function that decides. */
export function decider({ rules, predicates, answer, generateCode }: Compiling): {
  readonly compiled: 'closures' | 'code';
  readonly decide: Decide;
} {
  const names = namesRead(rules);
  const known: Known = { predicates, sourceOf: sharedSources() };
  const search = searchOf(rules, (some) => link(some, known, rules.length), rules.length);
  const decide: Decide = (request) => {
    const view = viewOf(request, names);
    return answer(search(view), request, view.until);
  };
  const isAskedInTurn = rules.length <= MANY && keyOf(rules) === undefined;
  if (!generateCode || !isAskedInTurn || !canGenerateCode()) return { compiled: 'closures', decide };
  return { compiled: 'code', decide: generated(rules, predicates, answer, decide) };
}

/** The attributes that rules read, each once. */
function namesRead(rules: readonly OrderedRule[]): Names {
  const names: Record<Part, Set<string>> = { subject: new Set(), resource: new Set(), environment: new Set() };
  for (const { attr } of rules.flatMap(({ node }) => leavesIn(node)).flatMap(attributesOf)) {
    if (isField(attr)) continue;
    const { part, name } = namesIn(attr);
    names[part].add(name);
  }
  return { subject: [...names.subject], resource: [...names.resource], environment: [...names.environment] };
}
