import { environmentSource } from 'doorward';
import {
  type AttributePath,
  attr,
  type Condition,
  contains,
  createPolicyEngine,
  decisionCallInput,
  eq,
  gte,
  hourBetween,
  not,
  type Policy,
  policy,
  present,
  rule,
  toRego,
} from 'doorward/abac';
import { createDecisionEndpoint } from 'doorward/opa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askFor, putModule } from './ask-opa.ts';
import { decisionCalls, ODD_CALLS } from './decision-calls.ts';
import { type RealOpa, startOpa } from './real-opa.ts';

const NOW = Date.parse('2026-03-02T12:00:00.400Z');
const TEXTS: readonly AttributePath[] = [
  'subject.id',
  'subject.department',
  'action',
  'resource.id',
  'resource.owner_id',
  'resource.department',
  'resource.sensitivity',
  'environment.ip',
  'environment.userAgent',
];
const CONDITIONS: readonly Condition[] = [
  ...TEXTS.flatMap((path) => [present(attr(path)), eq(attr(path), 'a'), eq(attr(path), '')]),
  present(attr('subject.roles')),
  contains(attr('subject.roles'), 'admin'),
  contains(attr('subject.roles'), attr('action')),
  present(attr('environment.hour')),
  gte(attr('environment.hour'), 13),
  eq(attr('environment.time'), NOW),
  hourBetween(17, 17, 'Asia/Kolkata'),
];

let opa: RealOpa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa?.stop());

/** An answer for each outcome of the condition: true allows, false denies, unknown denies by another rule. */
const telling = (when: Condition): readonly Policy[] => [
  policy('true', [rule.allow('true', when)]),
  policy('false', [rule.allow('false', not(when))]),
  policy('not false', [rule.deny('not false', when), rule.allow('otherwise', 'always')]),
];

it('whatever a policy asks of a decision call, the module answers as the endpoint does', async () => {
  const calls = [...ODD_CALLS, ...[...decisionCalls()].filter((_, index) => index % 401 === 0)];
  const environment = environmentSource({ clock: () => NOW, timeZone: 'Asia/Kolkata' });
  const kinds = new Set<string>();
  for (const asked of CONDITIONS.flatMap(telling)) {
    await putModule(opa, 'call', toRego(asked, { package: 'call', input: decisionCallInput('Asia/Kolkata') }));
    await putModule(
      opa,
      'bulk',
      `package bulk\n\nall := [a | some c in input; a := data.call.allow with input as c with time.now_ns as ${NOW}000000]`,
    );
    const theirs = await askFor(opa, 'bulk/all', calls);
    const endpoint = createDecisionEndpoint({ pdp: createPolicyEngine(asked), environment });
    const ours = await Promise.all(
      calls.map(async (input) => {
        const url = 'http://127.0.0.1/v1/data/authz/allow';
        const answer = await endpoint(new Request(url, { method: 'POST', body: JSON.stringify({ input }) }));
        return ((await answer.json()) as { result: unknown }).result;
      }),
    );
    expect({ asked, ours }).toEqual({ asked, ours: theirs });
    kinds.add(`${ours.includes(true)} ${ours.includes(false)}`);
  }
  expect(kinds).toContain('true true');
}, 120_000);
