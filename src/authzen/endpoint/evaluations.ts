import { type Decision, deny, isDoorwardError, isIndeterminate } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { AuthzenEvaluation } from '../information-model.ts';
import { answered, failure } from './answers.ts';
import { type Decider, withDecider } from './decider.ts';
import type { EndpointSettings } from './options.ts';
import { type EntityReader, invalid, isObject, optionalObjectAt } from './read-evaluation.ts';

const NO_ANSWER = 'the decision point did not answer';
const SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const;
type Semantic = (typeof SEMANTICS)[number];

/** An item of a request, or why it cannot be understood. */
type Reading = AuthzenEvaluation | { readonly error: string };

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
  const defaults = entitiesOf(body, read);
  const readings = items.map((item, index) => evaluationOf(item, index, defaults, read));
  const evaluations = await withDecider(settings, (decider) =>
    semantic === 'execute_all'
      ? answerAll(readings, decider, settings)
      : answerUntil(semantic === 'permit_on_first_permit', readings, decider, settings),
  );
  return answered({ evaluations });
}

/** Decides all that can be read, in one call. */
async function answerAll(
  readings: readonly Reading[],
  { decideAll }: Decider,
  { reasons }: EndpointSettings,
): Promise<readonly Answer[]> {
  const decisions = (
    await decideAll(readings.filter((reading): reading is AuthzenEvaluation => !isRefused(reading)))
  ).values();
  return readings.map((reading) =>
    isRefused(reading) ? refused(400, reading.error) : answerOf(decisions.next().value ?? deny('error'), reasons),
  );
}

/** Decides one after the other, up to and with the first whose answer is `last`. */
async function answerUntil(
  last: boolean,
  readings: readonly Reading[],
  { decide }: Decider,
  { reasons }: EndpointSettings,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (const reading of readings) {
    const answer = isRefused(reading) ? refused(400, reading.error) : answerOf(await decide(reading), reasons);
    answers.push(answer);
    if (answer.decision === last) break;
  }
  return answers;
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

/** The entities that stand in a request or in an item; each must be whole. */
function entitiesOf(body: JsonObject, read: EntityReader): Partial<AuthzenEvaluation> {
  return {
    ...(has(body, 'subject') && { subject: read.subject(body) }),
    ...(has(body, 'action') && { action: read.action(body) }),
    ...(has(body, 'resource') && { resource: read.resource(body) }),
    ...(has(body, 'context') && { context: read.context(body) }),
  };
}

/** An item replaces whole entities; nothing is merged within them. */
function evaluationOf(item: unknown, index: number, defaults: Partial<AuthzenEvaluation>, read: EntityReader): Reading {
  try {
    if (!isObject(item)) return { error: `evaluations[${index}] must be an object` };
    const { subject, action, resource, context } = { ...defaults, ...entitiesOf(item, read) };
    return {
      subject: subject ?? read.subject(item),
      action: action ?? read.action(item),
      resource: resource ?? read.resource(item),
      context: context ?? read.context(item),
    };
  } catch (error) {
    if (isDoorwardError(error)) return { error: `evaluations[${index}].${error.message}` };
    throw error;
  }
}

function has(holder: JsonObject, name: string): boolean {
  return (ownProperty(holder, name) ?? undefined) !== undefined;
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

function isRefused(reading: Reading): reading is Exclude<Reading, AuthzenEvaluation> {
  return Object.hasOwn(reading, 'error');
}
