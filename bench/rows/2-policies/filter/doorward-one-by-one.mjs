import { contractPolicy, createPolicyEngine } from 'doorward/abac';
import { accessRequest } from '../documents.mjs';

/** A whole decision for every document. */
export function prepare() {
  const engine = createPolicyEngine(contractPolicy);
  const filter = (resources, { person, action, hour }) => {
    const request = accessRequest({ person, action, document: { id: '' }, hour });
    return resources.filter((resource) => engine.decide({ ...request, resource }).allowed);
  };
  return { prepareDocuments: (documents) => documents.map(resourceOf), filter };
}

export const resourceOf = ({ id, ...attributes }) => ({ type: 'document', id, attributes });
