import { contractPolicy, createPolicyEngine, toPredicate } from 'doorward/abac';
import { accessRequest } from '../documents.mjs';
import { resourceOf } from './doorward-one-by-one.mjs';

/** The policy is worked out for the person and the moment, anew for every list, and then asked about every document. */
export function prepare() {
  const engine = createPolicyEngine(contractPolicy);
  const filter = (resources, { person, action, hour }) => {
    const { resource: _, ...request } = accessRequest({ person, action, document: { id: '' }, hour });
    return resources.filter(toPredicate(engine.filter({ ...request, resource: { type: 'document' } })));
  };
  return { prepareDocuments: (documents) => documents.map(resourceOf), filter };
}
