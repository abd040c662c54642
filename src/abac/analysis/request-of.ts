import type { AccessRequest } from '../../core/index.ts';
import { isField, namesIn, type Part } from '../condition/attribute.ts';
import type { AttributePath } from '../policy/policy.ts';
import type { Key } from './atom.ts';
import type { Choice, Value } from './settle.ts';

/** What a request always has, where it does not matter. */
const USUAL: readonly (readonly [Key, unknown])[] = [
  ['subject.id', 'someone'],
  ['subject.roles', []],
  ['action', 'any'],
  ['resource.type', 'any'],
  ['environment.time', 0],
];
const QUARTER_HOUR = 900_000;
const TWO_DAYS = 192;
const SEASONS = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 13)];
const BEHIND_ALL_DATES = 9e15;

type Parts = Readonly<Record<Part, Record<string, unknown>>>;

/** Writes out the request that was chosen; whatever was not chosen does not matter. */
export function requestOf(choices: readonly Choice[], time?: unknown): AccessRequest {
  const values = new Map<Key, unknown>(USUAL);
  for (const choice of choices) {
    if (choice.kind !== 'attribute' || choice.key.includes('@')) continue;
    const { key, value } = choice;
    if (value.is === 'list') values.set(key, listOf(key, value, choices));
    else if (value.is === 'scalar') values.set(key, value.value);
    else if ('raw' in value) values.set(key, value.raw);
    else values.delete(key);
  }
  if (time !== undefined) values.set('environment.time', time);
  const fields: Parts = { subject: {}, resource: {}, environment: {} };
  const attributes: Parts = { subject: {}, resource: {}, environment: {} };
  for (const [key, value] of values) {
    const { part, name } = namesIn(key);
    if (key !== 'action') (isField(key as AttributePath) ? fields : attributes)[part][name] = value;
  }
  const hasFacts = Object.keys(attributes.environment).length > 0;
  const request = {
    subject: { ...fields.subject, attributes: attributes.subject },
    ...(values.has('action') && { action: values.get('action') }),
    resource: { ...fields.resource, attributes: attributes.resource },
    environment: { ...fields.environment, ...(hasFacts && { attributes: attributes.environment }) },
  };
  return request as unknown as AccessRequest;
}

/** The request, and, where hours of time zones were chosen, requests of other times at which they may all be so. */
export function* requestsOf(choices: readonly Choice[]): Generator<AccessRequest> {
  yield requestOf(choices);
  const attributes = choices.filter((choice) => choice.kind === 'attribute');
  if (!attributes.some(({ key }) => key.includes('@'))) return;
  const time = attributes.find(({ key }) => key === 'environment.time')?.value;
  if (time === undefined) yield requestOf(choices, BEHIND_ALL_DATES);
  const around =
    time === undefined ? SEASONS : time.is === 'scalar' && typeof time.value === 'number' ? [time.value] : [];
  for (const start of around) {
    for (let step = 1; step <= TWO_DAYS; step++) {
      yield requestOf(choices, start + step * QUARTER_HOUR);
      if (time !== undefined) yield requestOf(choices, start - step * QUARTER_HOUR);
    }
  }
}

function listOf(key: Key, { unknown, empty }: Extract<Value, { is: 'list' }>, choices: readonly Choice[]): unknown[] {
  const elements = choices.flatMap((choice) =>
    choice.kind === 'element' && choice.key === key && choice.holds ? [choice.element] : [],
  );
  return [...elements, ...(empty ? [''] : []), ...(unknown ? [null] : [])];
}
