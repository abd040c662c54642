import { type AccessRequest, ask, askAll, type Decision, deny, type PolicyDecisionPoint } from '../../core/index.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { accessRequests } from './access-request.ts';
import type { EndpointSettings } from './options.ts';

/** The decisions and look-ups of one request, which share one time limit. */
export interface Decider {
  /** What fails or comes too late denies; see `isIndeterminate`. */
  decide(evaluation: AuthzenEvaluation): Promise<Decision>;
  /** Decides several in one call to the decision point. */
  decideAll(evaluations: readonly AuthzenEvaluation[]): Promise<readonly Decision[]>;
  /** @throws `Error` when the time is up first. */
  lookUp<T>(work: () => T | PromiseLike<T>): Promise<T>;
}

/** Lets `run` decide within the time limit of a request. */
export async function withDecider<T>(settings: EndpointSettings, run: (decider: Decider) => Promise<T>): Promise<T> {
  const { pdp, decisionTimeoutMs } = settings;
  const requestOf = asking(settings);
  const end = performance.now() + decisionTimeoutMs;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, decisionTimeoutMs, undefined);
  });
  // No timer gets a turn between decisions that wait for nothing, so that the clock is read too.
  const inTime = async <A>(work: () => A | PromiseLike<A>): Promise<{ readonly answer: A } | undefined> =>
    performance.now() < end ? Promise.race([(async () => ({ answer: await work() }))(), late]) : undefined;
  try {
    return await run({
      decide: async (evaluation) => {
        const decided = await inTime(async () => decisionOn(await requestOf(evaluation), pdp));
        return decided?.answer ?? deny('timeout');
      },
      decideAll: async (evaluations) => {
        const decided = await inTime(async () => decisionsOn(await Promise.all(evaluations.map(requestOf)), pdp));
        return decided?.answer ?? evaluations.map(() => deny('timeout'));
      },
      lookUp: async (work) => {
        const found = await inTime(work);
        if (found === undefined) throw new Error('The time is up');
        return found.answer;
      },
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Makes what the decision point is asked; or the denial of what it need not be asked. */
function asking(settings: EndpointSettings): (evaluation: AuthzenEvaluation) => Promise<AccessRequest | Decision> {
  const requestOf = accessRequests(settings);
  return async (evaluation) => {
    try {
      return (await requestOf(evaluation)) ?? deny('no_rule');
    } catch {
      return deny('error');
    }
  };
}

async function decisionOn(request: AccessRequest | Decision, pdp: PolicyDecisionPoint): Promise<Decision> {
  return isDecision(request) ? request : ask(pdp, request);
}

async function decisionsOn(
  requests: readonly (AccessRequest | Decision)[],
  pdp: PolicyDecisionPoint,
): Promise<readonly Decision[]> {
  const asked = requests.filter((request): request is AccessRequest => !isDecision(request));
  const answers = (asked.length === 0 ? [] : await askAll(pdp, asked)).values();
  return requests.map((request) => (isDecision(request) ? request : (answers.next().value ?? deny('error'))));
}

/** By an own property: a request that inherits "allowed" has not been decided. */
function isDecision(request: AccessRequest | Decision): request is Decision {
  return Object.hasOwn(request, 'allowed');
}
