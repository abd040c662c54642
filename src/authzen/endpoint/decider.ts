import { ask, type Decision, deny, type Environment, type Resource, type Subject } from '../../core/index.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { environmentOf, resourceOf, subjectOf } from './access-request.ts';
import type { EndpointSettings } from './options.ts';

/** The decisions and look-ups of one request, which share one time limit. */
export interface Decider {
  /** What fails or comes too late denies; see `isIndeterminate`. */
  decide(evaluation: AuthzenEvaluation): Promise<Decision>;
  /** @throws `Error` when the time is up first. */
  lookUp<T>(work: () => T | PromiseLike<T>): Promise<T>;
}

/** Lets `run` decide within the time limit of a request. */
export async function withDecider<T>(settings: EndpointSettings, run: (decider: Decider) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, settings.decisionTimeoutMs);
  });
  const decider: Decider = {
    decide: async (evaluation) => {
      if (isLate) return deny('timeout');
      return (await Promise.race([decisionOf(evaluation, settings), late])) ?? deny('timeout');
    },
    lookUp: async (work) => {
      const answer = await Promise.race([(async () => ({ is: await work() }))(), late]);
      if (answer === undefined) throw new Error('The time is up');
      return answer.is;
    },
  };
  try {
    return await run(decider);
  } finally {
    clearTimeout(timer);
  }
}

async function decisionOf(evaluation: AuthzenEvaluation, settings: EndpointSettings): Promise<Decision> {
  try {
    if (!settings.subjectTypes.has(evaluation.subject.type)) return deny('no_rule');
    const subject = await subjectIn(evaluation, settings);
    const resource = await resourceIn(evaluation, settings);
    if (subject === undefined || resource === undefined) return deny('no_rule');
    const environment: Environment = environmentOf(evaluation, settings.environment, settings.trustsTime);
    return await ask(settings.pdp, { subject, action: evaluation.action.name, resource, environment });
  } catch {
    return deny('error');
  }
}

async function subjectIn({ subject }: AuthzenEvaluation, settings: EndpointSettings): Promise<Subject | undefined> {
  const { resolveSubject, rolesProperty } = settings;
  if (resolveSubject === undefined) return subjectOf(subject, rolesProperty);
  return (await resolveSubject(subject)) ?? undefined;
}

async function resourceIn({ resource }: AuthzenEvaluation, settings: EndpointSettings): Promise<Resource | undefined> {
  const { resolveResource } = settings;
  return resolveResource === undefined ? resourceOf(resource) : ((await resolveResource(resource)) ?? undefined);
}
