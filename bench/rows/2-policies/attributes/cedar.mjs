import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { questions } from '../documents.mjs';

const staticPolicies = `
permit (principal, action, resource) when { principal.role == "admin" };
permit (principal, action, resource) when {
  resource.sensitivity == "high" && context.hour >= 9 && context.hour <= 18 && principal.department == resource.department
};
permit (principal, action, resource) when { principal.uid == resource.owner_id };
permit (principal, action == Action::"read", resource) when { principal.department == resource.department };
`;

function call({ person, action, document, hour }) {
  const principal = { type: 'Person', id: person.id };
  const resource = { type: 'Document', id: document.id };
  const { id: uid, role, department } = person;
  const { id: _, ...attrs } = document;
  return {
    principal,
    action: { type: 'Action', id: action },
    resource,
    context: { hour },
    preparsedPolicySetId: 'documents',
    entities: [
      { uid: principal, attrs: { uid, role, department }, parents: [] },
      { uid: resource, attrs, parents: [] },
    ],
  };
}

/** The policies are parsed once. */
export function prepare() {
  const parsed = preparsePolicySet('documents', { staticPolicies });
  if (parsed.type !== 'success') throw new Error(JSON.stringify(parsed));
  return {
    questions: questions().map(call),
    decide: (request) => {
      const answer = statefulIsAuthorized(request);
      if (answer.type !== 'success' || answer.response.diagnostics.errors.length > 0) throw new Error('cedar failed');
      return answer.response.decision === 'allow';
    },
  };
}
