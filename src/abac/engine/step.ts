import { isScalar } from '../condition/value.ts';
import type { Literal } from './literal.ts';
import { earlier, type Flip } from './valid-until.ts';
import { sourceOf, type ValueSource } from './value-source.ts';
import type { View } from './view.ts';

/** A question with the way to go on after a yes and after a no; or the end of the way, the place of a rule. */
export interface Step {
  readonly code: number;
  readonly place: number;
  readonly left: ValueSource;
  readonly right: ValueSource;
  readonly test: (view: View) => boolean;
  readonly flip: Flip | undefined;
  readonly yes: Step | undefined;
  readonly no: Step | undefined;
}

const END = 0;
const OTHER = 1;
const CLOCK = 2;
const ACTION = 3;
const OF_SUBJECT = 4;
const OF_RESOURCE = 5;
const ROLE = 6;
const OWNER = 7;
const SHARED = 8;
const CODES: Readonly<Record<Literal['kind'], number>> = {
  other: OTHER,
  clock: CLOCK,
  action: ACTION,
  ofSubject: OF_SUBJECT,
  ofResource: OF_RESOURCE,
  role: ROLE,
  owner: OWNER,
  shared: SHARED,
};

const NOTHING = sourceOf({ value: '' });
const never = (): boolean => false;

/** The end of a way. */
export function endAt(place: number): Step {
  return {
    code: END,
    place,
    left: NOTHING,
    right: NOTHING,
    test: never,
    flip: undefined,
    yes: undefined,
    no: undefined,
  };
}

/** A question on the way. */
export function askStep({ kind, left, right, test, flip }: Literal, yes: Step, no: Step): Step {
  return { code: CODES[kind], place: -1, left, right, test, flip, yes, no };
}

/**
 * Walks from a step to an end. It is one loop, and not a function for every condition, because a call whose target
 * the compiler does not know costs more than most comparisons.
 */
export function walk(start: Step, view: View): number {
  let step = start;
  for (;;) {
    const { left, right } = step;
    let holds = false;
    switch (step.code) {
      case END:
        return step.place;
      case ACTION:
        holds = view.action === right.constant;
        break;
      case OF_SUBJECT:
        holds = left.load(view.ofSubject, left.name) === right.constant;
        break;
      case OF_RESOURCE:
        holds = left.load(view.ofResource, left.name) === right.constant;
        break;
      case ROLE:
        holds = has(view.subject.roles, right.constant);
        break;
      case OWNER: {
        const value = view.subject.id;
        // Of two equal values, both are known where one is.
        holds = value === right.load(view.ofResource, right.name) && isScalar(value) && value !== '';
        break;
      }
      case SHARED: {
        const value = left.load(view.ofSubject, left.name);
        holds = value === right.load(view.ofResource, right.name) && isScalar(value) && value !== '';
        break;
      }
      case CLOCK:
        view.until = earlier(step.flip as Flip, view.request, view.environment.time, view.until);
        holds = step.test(view);
        break;
      default:
        holds = step.test(view);
    }
    step = (holds ? step.yes : step.no) as Step;
  }
}

/** Whether a list is known to have an element. */
export function has(list: unknown, wanted: unknown): boolean {
  if (!Array.isArray(list)) return false;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === wanted) return true;
  }
  return false;
}
