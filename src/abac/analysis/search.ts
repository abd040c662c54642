import type { AccessRequest } from '../../core/index.ts';
import { isAffixOfAttributes } from './atom.ts';
import { choicesOf } from './choices.ts';
import { after, atomsOf, type Goal, MET, UNMET } from './goal.ts';
import { requestOf, requestsOf } from './request-of.ts';
import type { Choice } from './settle.ts';

/** How much an analysis may still try. */
export interface Budget {
  left: number;
}

/** So many comparisons are settled in about the time, and take about the room, that one value is meant to cost. */
const COMPARISONS_PER_VALUE = 10;

/**
 * A request that meets the goal, or `none`: that there is none is proved then. `undecided` is all that is left when
 * the budget ran out, or what was found could not be made a request.
 */
export type Found = AccessRequest | 'none' | 'undecided';

/**
 * Seeks a request that meets a goal, over one representative of every class of values. What remains of a goal
 * after some choices is remembered when nothing meets it, so that no part of the space is visited twice.
 *
 * @param isReal replays a request through the engines; only what passes is ever returned
 */
export function seek(goal: Goal, isReal: (request: AccessRequest) => boolean, budget: Budget): Found {
  const found = explore(goal, isReal, budget, false);
  if (found !== 'none') return found;
  const needsProof = atomsOf(goal).some(isAffixOfAttributes);
  if (!needsProof) return 'none';
  return explore(goal, () => false, budget, true) === 'none' ? 'none' : 'undecided';
}

function explore(whole: Goal, isReal: (request: AccessRequest) => boolean, budget: Budget, relaxed: boolean): Found {
  const hopeless = new Set<string>();
  let isComplete = true;
  let unreal = 0;

  const visit = (goal: Goal, path: readonly Choice[]): AccessRequest | undefined => {
    if (goal === UNMET) return undefined;
    if (goal === MET) {
      const request = realised(path, isReal, budget);
      if (request !== undefined) return request;
      isComplete = false;
      unreal++;
      return undefined;
    }
    if (hopeless.has(goal.text)) return undefined;
    const atoms = atomsOf(goal);
    const price = Math.ceil(atoms.length / COMPARISONS_PER_VALUE);
    const { choices, isComplete: areAll } = choicesOf(atoms);
    if (!areAll) isComplete = false;
    const before = unreal;
    for (const choice of choices) {
      budget.left -= price;
      if (budget.left < 0) {
        isComplete = false;
        return undefined;
      }
      const found = visit(after(goal, choice, relaxed), [...path, choice]);
      if (found !== undefined) return found;
      if (relaxed && !isComplete) return undefined;
    }
    if (unreal === before) hopeless.add(goal.text);
    return undefined;
  };

  return visit(whole, []) ?? (isComplete ? 'none' : 'undecided');
}

/** The first request that is real, with everything left out that is not needed. */
function realised(
  path: readonly Choice[],
  isReal: (request: AccessRequest) => boolean,
  budget: Budget,
): AccessRequest | undefined {
  for (const request of requestsOf(path)) {
    if (budget.left-- <= 0) return undefined;
    if (isReal(request)) return shortest(path, request, isReal);
  }
  return undefined;
}

function shortest(
  path: readonly Choice[],
  whole: AccessRequest,
  isReal: (request: AccessRequest) => boolean,
): AccessRequest {
  let [kept, request] = [path, whole];
  const { time } = whole.environment;
  for (const choice of path) {
    const fewer = kept.filter((each) => each !== choice);
    const shorter = requestOf(fewer, time);
    if (isReal(shorter)) [kept, request] = [fewer, shorter];
  }
  return request;
}
