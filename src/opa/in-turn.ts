import { type Decision, deny, isIndeterminate } from '../core/index.ts';
import { type Asking, type Leave, nothingToLeave, type Tell } from './asking.ts';

/**
 * Asks one question after the other until one is allowed. If none is, the first answer that is none decides, else
 * the first denial.
 *
 * @param bodyOf - the question at an index; where there are several, what it throws is an answer that is none
 */
export function askInTurn(count: number, bodyOf: (index: number) => string, ask: Asking, tell: Tell): Leave {
  if (count === 1) return ask(bodyOf(0), tell);
  let asked = 0;
  let leave = nothingToLeave;
  const askFor = (index: number, kept: Decision | undefined): void => {
    asked = index;
    const left = asking(bodyOf, index, ask, (decision) => {
      const heavier = kept === undefined || (isIndeterminate(decision) && !isIndeterminate(kept));
      const weightiest = decision.allowed || heavier ? decision : kept;
      if (decision.allowed || index + 1 === count) tell(weightiest);
      else askFor(index + 1, weightiest);
    });
    // An answer that was there at once has moved on to a later question.
    if (asked === index) leave = left;
  };
  askFor(0, undefined);
  return (why) => leave(why);
}

function asking(bodyOf: (index: number) => string, index: number, ask: Asking, tell: Tell): Leave {
  let body: string;
  try {
    body = bodyOf(index);
  } catch {
    tell(deny('error'));
    return nothingToLeave;
  }
  return ask(body, tell);
}
