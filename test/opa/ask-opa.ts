import type { AccessRequest } from 'doorward';
import { type Policy, toRego } from 'doorward/abac';
import type { RealOpa } from './real-opa.ts';

/** What an OPA server says: the deciding rule, whether it allows, and the answer of `allow`. */
export type OpaAnswer = readonly [rule: string | null, allowed: boolean, allow: boolean | null];

/** Puts a module on the server in the place of the one that had its name. */
export async function putModule({ url }: RealOpa, name: string, module: string): Promise<void> {
  const response = await fetch(`${url}/v1/policies/${name}`, { method: 'PUT', body: module });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${answer}\n${module}`);
}

/** Asks for a rule's value. A built-in function that is given what it cannot take is an error. */
export async function askFor({ url }: RealOpa, path: string, input: unknown): Promise<unknown> {
  const response = await fetch(`${url}/v1/data/${path}?strict-builtin-errors`, {
    method: 'POST',
    body: JSON.stringify({ input }),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { result?: unknown }).result;
}

/** `allow` says no more than `decision.allowed`, and costs as much again: it is asked about the first of a call only. */
const ALLOWS = 50;
interface BulkAnswer {
  readonly decisions: readonly (readonly [rule: string | null, allowed: boolean])[];
  readonly allows: readonly boolean[];
}

/** Makes the function that asks the server about a policy: many requests in one call. Lanes may ask at once. */
export async function bulkOpa(
  opa: RealOpa,
  lane = 'lane_0',
): Promise<(policy: Policy, requests: readonly AccessRequest[]) => Promise<readonly OpaAnswer[]>> {
  await putModule(
    opa,
    lane,
    `package ${lane}\n\ndefault allow := false\n\ndecision := {"allowed": false, "rule": null}`,
  );
  await putModule(
    opa,
    `bulk_${lane}`,
    `package bulk.${lane}\n\ndecisions := [[decision.rule, decision.allowed] |
	some request in input.batch
	decision := data.${lane}.decision with input as request
]

allows := [allow |
	some request in array.slice(input.batch, 0, ${ALLOWS})
	allow := data.${lane}.allow with input as request
]`,
  );
  return async (policy, requests) => {
    await putModule(opa, lane, toRego(policy, { package: lane }));
    const { decisions, allows } = (await askFor(opa, `bulk/${lane}`, { batch: requests })) as BulkAnswer;
    return decisions.map(([rule, allowed], index) => [
      rule,
      allowed,
      index < ALLOWS ? (allows[index] ?? null) : allowed,
    ]);
  };
}
