import assert from 'node:assert/strict';
import { createPolicyEngine, type Policy } from '../abac/index.ts';
import { refuseUnknownOptions } from '../core/config-invalid.ts';
import { type AccessRequest, type Decision, isIndeterminate, type PolicyDecisionPoint } from '../core/index.ts';

/** What a policy has to answer to one request. */
export interface PolicyExpectation {
  readonly name: string;
  readonly request: AccessRequest;
  readonly allowed: boolean;
  /** The rule that has to decide. @default any, or none */
  readonly ruleId?: string;
}

/** One expectation, ready to be tried. It knows no test runner: hand `name` and `run` to the one you have. */
export interface PolicyCase {
  readonly name: string;
  /** @throws `AssertionError` that says what every rule made of the request; whatever the decision point threw. */
  run(): Promise<void>;
}

/**
 * Turns what a policy has to answer into cases for a test runner. A denial that is no answer, but a fault or a
 * timeout, meets no expectation.
 *
 * @param subject - a policy, or whatever decides: an engine, an engine whose coverage is counted, an OPA client
 * @throws `CONFIG_INVALID` when the policy is not valid, and for an expectation that says something unknown.
 * @example
 * const cases = policyCases(contractPolicy, [{ name: 'an owner deletes', request, allowed: true, ruleId: 'owner' }]);
 * for (const { name, run } of cases) runner.test(name, run);
 */
export function policyCases(
  subject: Policy | PolicyDecisionPoint,
  expectations: readonly PolicyExpectation[],
): readonly PolicyCase[] {
  const decisionPoint = 'decide' in subject ? subject : createPolicyEngine(subject);
  return expectations.map((expected) => {
    refuseUnknownOptions(expected, ['name', 'request', 'allowed', 'ruleId']);
    return {
      name: expected.name,
      run: async () => check(expected, await decisionPoint.decide(expected.request)),
    };
  });
}

function check({ allowed, ruleId }: PolicyExpectation, decision: Decision): void {
  assert.ok(!isIndeterminate(decision), `there was no answer: ${decision.reason}`);
  const isExpected = decision.allowed === allowed && (ruleId === undefined || decision.ruleId === ruleId);
  assert.ok(
    isExpected,
    `expected ${verdict(allowed, ruleId)}, got ${verdict(decision.allowed, decision.ruleId)}${traced(decision)}`,
  );
}

function verdict(allowed: boolean, ruleId: string | undefined): string {
  return `${allowed ? 'allow' : 'deny'}${ruleId === undefined ? '' : ` by ${JSON.stringify(ruleId)}`}`;
}

function traced(decision: Decision): string {
  const rules = decision.trace?.().rules ?? [];
  return rules
    .map(({ ruleId, outcome, detail }) => `\n  ${ruleId}: ${outcome}${detail ? ` (${detail})` : ''}`)
    .join('');
}
