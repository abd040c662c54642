import { type Decision, isDoorwardError, isIndeterminate } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { answered, failure } from './answers.ts';
import { type Decider, withDecider } from './decider.ts';
import type { EndpointSettings } from './options.ts';
import { type EntityReader, invalid, isObject, optionalObjectAt } from './read-evaluation.ts';

const NO_ANSWER = 'the decision point did not answer';
const ENTITIES = ['subject', 'action', 'resource', 'context'] as const;
const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
type Semantic = (typeof SEMANTICS)[number];

/** What stands for one evaluation in an answer. */
interface Answer {
  readonly decision: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Answers one evaluation. Where there is no decision there is none in the answer either: 500. */
export async function evaluate(body: JsonObject, read: EntityReader, settings: EndpointSettings): Promise<Response> {
  const evaluation = read.evaluation(body);
  const decision = await withDecider(settings, ({ decide }) => decide(evaluation));
  return isIndeterminate(decision) ? failure(500, NO_ANSWER) : answered(answerOf(decision, settings.reasons));
}

/** Answers several evaluations in their order; without any it is a single one. @throws `INPUT_INVALID` */
export async function evaluateAll(body: JsonObject, read: EntityReader, settings: EndpointSettings): Promise<Response> {
  const items = itemsOf(body, settings.maxEvaluations);
  if (items.length === 0) return evaluate(body, read, settings);
  const semantic = semanticOf(body);
  const defaults = defaultsOf(body, read);

  const answerTo = async (item: unknown, index: number, { decide }: Decider): Promise<Answer> => {
    const evaluation = evaluationOf(item, index, defaults, read);
    return 'error' in evaluation
      ? refused(400, evaluation.error)
      : answerOf(await decide(evaluation), settings.reasons);
  };
  const evaluations = await withDecider(settings, async (decider) => {
    if (semantic === 'execute_all') return Promise.all(items.map((item, index) => answerTo(item, index, decider)));
    const last = semantic === 'permit_on_first_permit';
    const answers: Answer[] = [];
    for (const [index, item] of items.entries()) {
      const answer = await answerTo(item, index, decider);
      answers.push(answer);
      if (answer.decision === last) break;
    }
    return answers;
  });
  return answered({ evaluations });
}

function itemsOf(body: JsonObject, most: number): readonly unknown[] {
  const items = ownProperty(body, 'evaluations') ?? [];
  if (!Array.isArray(items)) throw invalid('evaluations', 'must be an array');
  if (items.length > most) throw invalid('evaluations', `must have at most ${most} items`);
  return items;
}

function semanticOf(body: JsonObject): Semantic {
  const asked = ownProperty(optionalObjectAt(body, 'options', 'options'), 'evaluations_semantic') ?? 'execute_all';
  const known = SEMANTICS.find((semantic) => semantic === asked);
  if (known === undefined) throw invalid('options.evaluations_semantic', `must be one of ${SEMANTICS.join(', ')}`);
  return known;
}

/** What stands at the top must be whole, whether an item needs it or not. */
function defaultsOf(body: JsonObject, read: EntityReader): JsonObject {
  const given = ENTITIES.filter((name) => (ownProperty(body, name) ?? undefined) !== undefined);
  for (const name of given) read[name](body);
  return Object.fromEntries(given.map((name) => [name, body[name]]));
}

/** An item replaces whole entities; nothing is merged within them. */
function evaluationOf(
  item: unknown,
  index: number,
  defaults: JsonObject,
  read: EntityReader,
): AuthzenEvaluation | { readonly error: string } {
  try {
    if (!isObject(item)) return { error: `evaluations[${index}] must be an object` };
    const own = ENTITIES.filter((name) => (ownProperty(item, name) ?? undefined) !== undefined);
    return read.evaluation({ ...defaults, ...Object.fromEntries(own.map((name) => [name, item[name]])) });
  } catch (error) {
    if (isDoorwardError(error)) return { error: `evaluations[${index}].${error.message}` };
    throw error;
  }
}

function answerOf(decision: Decision, reasons: boolean): Answer {
  if (isIndeterminate(decision)) return refused(500, NO_ANSWER);
  const { reason, ruleId } = decision;
  const context = { reason, ...(ruleId !== undefined && { rule_id: ruleId }) };
  return { decision: decision.allowed, ...(reasons && { context }) };
}

function refused(status: number, message: string): Answer {
  return { decision: false, context: { error: { status, message } } };
}
