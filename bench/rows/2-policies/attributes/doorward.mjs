import { contractPolicy, createPolicyEngine } from 'doorward/abac';
import { accessRequest, questions } from '../documents.mjs';

/** The rules as data, compiled once; the whole decision object, with the trace that it can be asked for. */
export function prepare(_input, options = {}) {
  const engine = createPolicyEngine(contractPolicy, options);
  const wanted = options.generateCode ? 'code' : 'closures';
  if (engine.compiled !== wanted) throw new Error(`compiled to ${engine.compiled} instead of ${wanted}`);
  // Kept, so that the compiler cannot see that only one property is looked at and make no decision object at all.
  const kept = { decision: undefined };
  const decide = (request) => {
    kept.decision = engine.decide(request);
    return kept.decision.allowed;
  };
  return { questions: questions().map(accessRequest), decide };
}
