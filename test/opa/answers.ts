import type { AccessRequest } from 'doorward';
import { createPolicyEngine, type Policy } from 'doorward/abac';
import { decidingRule } from '../abac/support/reference.ts';
import type { OpaAnswer } from './ask-opa.ts';

/** Everything of ours that decides, answering as OPA does: the reference, closures, generated code. */
export function decidersOf(policy: Policy): Readonly<Record<string, (request: AccessRequest) => OpaAnswer>> {
  const engines = { closures: createPolicyEngine(policy), code: createPolicyEngine(policy, { generateCode: true }) };
  if (engines.code.compiled !== 'code') throw new Error('no code was generated');
  return {
    reference: (request) => {
      const rule = decidingRule(policy, request);
      return [rule?.id ?? null, rule?.effect === 'allow', rule?.effect === 'allow'];
    },
    closures: (request) => answerOf(engines.closures.decide(request)),
    code: (request) => answerOf(engines.code.decide(request)),
  };
}

function answerOf({ ruleId, allowed }: { readonly ruleId?: string; readonly allowed: boolean }): OpaAnswer {
  return [ruleId ?? null, allowed, allowed];
}
