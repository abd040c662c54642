import { type AccessRequest, type Decision, deny, type PolicyDecisionPoint } from '../../core/index.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { decisionOf, decisionsOf } from './decision-of.ts';
import { endpointFinder } from './endpoints.ts';
import { type Operation, withinTime } from './exchange.ts';
import { type AuthzenClientOptions, clientSettings } from './options.ts';
import { type AuthzenSearches, createSearches } from './search.ts';
import { wireEvaluation } from './wire-evaluation.ts';

/** A decision point that asks an AuthZEN server. */
export interface AuthzenClient extends PolicyDecisionPoint, AuthzenSearches {
  decide(request: AccessRequest): Promise<Decision>;
  decideAll(requests: readonly AccessRequest[]): Promise<readonly Decision[]>;
  /** Ends the connections. Whatever is asked afterwards is denied as `unavailable`. */
  close(): Promise<void>;
}

/** A request of a batch that can be sent, and which of the batch it is. */
interface Item {
  readonly index: number;
  readonly evaluation: AuthzenEvaluation;
}

/**
 * Makes a client of the AuthZEN Authorization API 1.0. Only a `200` whose JSON has an own `"decision": true` allows.
 * `false` denies with reason `no_rule`; whatever is no answer denies as `invalid_answer`, `unavailable`, `timeout` or
 * `error`. It follows no redirect and repeats no call.
 *
 * @throws `CONFIG_INVALID` when an option is not valid.
 * @example
 * const authzen = createAuthzenClient({ url: 'https://pdp.example.com', token });
 * const decision = await authzen.decide(request);
 */
export function createAuthzenClient(options: AuthzenClientOptions): AuthzenClient {
  const settings = clientSettings(options);
  const { batchSize, concurrency } = settings;
  const findEndpoints = endpointFinder(settings);

  const one = async (evaluation: AuthzenEvaluation, operation: Operation): Promise<Decision> => {
    const endpoints = await findEndpoints(operation);
    if (typeof endpoints === 'string') return deny(endpoints);
    const answer = await operation.call(endpoints.get('access_evaluation_endpoint') ?? '', evaluation);
    return typeof answer === 'string' ? deny(answer) : decisionOf(answer, settings);
  };

  /** A decision point that offers no batches is asked one by one. */
  const several = async (items: readonly Item[], operation: Operation): Promise<readonly Decision[]> => {
    const endpoints = await findEndpoints(operation);
    if (typeof endpoints === 'string') return items.map(() => deny(endpoints));
    const url = endpoints.get('access_evaluations_endpoint');
    if (url === undefined || items.length === 1) {
      const decisions: Decision[] = [];
      for (const { evaluation } of items) decisions.push(await one(evaluation, operation));
      return decisions;
    }
    const answer = await operation.call(url, { evaluations: items.map(({ evaluation }) => evaluation) });
    return typeof answer === 'string' ? items.map(() => deny(answer)) : decisionsOf(answer, items.length, settings);
  };

  return {
    decide: async (request) => {
      const evaluation = sendable(request);
      return evaluation === undefined ? deny('error') : withinTime(settings, (operation) => one(evaluation, operation));
    },
    decideAll: async (requests) => {
      const decisions = Array.from(requests, () => deny('error'));
      const items = requests.flatMap((request, index) => {
        const evaluation = sendable(request);
        return evaluation === undefined ? [] : [{ index, evaluation }];
      });
      const batches = chunksOf(items, batchSize).values();
      await withinTime(settings, async (operation) => {
        // The metadata are fetched before the batches part ways, and not by each of them.
        const endpoints = await findEndpoints(operation);
        if (typeof endpoints === 'string') {
          for (const { index } of items) decisions[index] = deny(endpoints);
          return;
        }
        const work = async (): Promise<void> => {
          for (const batch of batches) {
            const answers = await several(batch, operation);
            for (const [position, { index }] of batch.entries()) decisions[index] = answers[position] ?? deny('error');
          }
        };
        await Promise.all(Array.from({ length: concurrency }, work));
      });
      return decisions;
    },
    ...createSearches(settings, findEndpoints),
    close: settings.close,
  };

  /** What cannot be read cannot be sent either. */
  function sendable(request: AccessRequest): AuthzenEvaluation | undefined {
    try {
      return wireEvaluation(request, settings);
    } catch {
      return undefined;
    }
  }
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
