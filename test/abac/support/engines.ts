import type { AccessRequest } from 'doorward';
import {
  type Condition,
  createPolicyEngine,
  type Policy,
  type PolicyEngine,
  type PolicyEngineOptions,
} from 'doorward/abac';

export const a = { attr: 'subject.a' } as const;
export const b = { attr: 'resource.b' } as const;
export const action = { attr: 'action' } as const;
export const hour = { attr: 'environment.hour' } as const;
export const time = { attr: 'environment.time' } as const;

/** Ada reads a document; attributes of hers, and whatever is to be otherwise. */
export function request(subject: object = {}, more: object = {}): AccessRequest {
  return {
    subject: { id: 'ada', roles: ['viewer'], attributes: subject },
    action: 'read',
    resource: { type: 'document', id: 'd1', attributes: {} },
    environment: { time: 0 },
    ...more,
  } as AccessRequest;
}

/** A rule for each condition allows. */
export function policyOf(...conditions: readonly Condition[]): Policy {
  const rules = conditions.map((when, i) => ({ id: `r${i}`, effect: 'allow' as const, when }));
  return { name: 'p', combining: 'first-match', rules };
}

/** Closures and generated code, with a trace and without. */
export function engines(policy: Policy, options: PolicyEngineOptions = {}): readonly PolicyEngine[] {
  return [false, true].flatMap((generateCode) =>
    [false, true].map((trace) => createPolicyEngine(policy, { ...options, generateCode, trace })),
  );
}
