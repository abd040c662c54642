import { contractRoles } from 'doorward/rbac';
import { questions } from './table.mjs';

/** The same table as a decision point: a whole request, and a decision object. */
export function prepare() {
  const kept = { decision: undefined };
  return {
    questions: questions().map(({ person, action }) => ({
      subject: { ...person, attributes: {} },
      action,
      resource: { type: 'post', attributes: {} },
      environment: { time: 0 },
    })),
    decide: (request) => {
      kept.decision = contractRoles.decide(request);
      return kept.decision.allowed;
    },
  };
}
