import { type JsonSchema, schemaOfPolicies } from '../policy/policy-schema.ts';
import type { ModelDefinition } from './definition.ts';
import { vocabularyOf } from './vocabulary.ts';

/**
 * The JSON Schema (2020-12) of policy files, for editors and other programs: of any policy, or of the policies of
 * a model, whose paths, actions, resource types and predicates it lists. `parsePolicy` and `Model.parse` check
 * more than a schema can say.
 *
 * @throws `CONFIG_INVALID` when the definition of the model is none.
 * @example
 * await writeFile('policy.schema.json', JSON.stringify(policySchema(model), null, 2));
 */
export function policySchema(model?: { readonly definition: ModelDefinition }): JsonSchema {
  if (model === undefined) return schemaOfPolicies();
  const { paths, resources, predicates } = vocabularyOf(model.definition);
  const types = [...resources.values()];
  return schemaOfPolicies({
    paths: [...new Set(['action', ...paths.keys(), ...types.flatMap((type) => [...type.paths.keys()])])],
    actions: [...new Set(types.flatMap(({ actions }) => actions))],
    resources: [...resources.keys()],
    predicates: [...predicates],
  });
}
