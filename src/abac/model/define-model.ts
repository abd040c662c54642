import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest } from '../../core/index.ts';
import { type PolicyOptions, policy } from '../policy/build.ts';
import { deepFreeze } from '../policy/json.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { checkPolicy } from './check-policy.ts';
import type { ModelDefinition, ResourceOf, WithKnownHierarchy } from './definition.ts';
import type { ModelRequest } from './model-request.ts';
import { type ModelRules, modelRules } from './model-rules.ts';
import { vocabularyOf } from './vocabulary.ts';

/** What policies may speak of, and the functions to write and to check them. */
export interface Model<M extends ModelDefinition = ModelDefinition> {
  /**
   * The builders for rules about some resource types; about every type when none is named.
   *
   * @throws `CONFIG_INVALID` for a type that the model does not have.
   */
  // Spelt out, since a compiler that refuses a name would print the whole model for `ResourceOf<M>`.
  rules<const R extends keyof M['resources'] & string = ResourceOf<M>>(...resources: readonly R[]): ModelRules<M, R>;
  /**
   * Makes a policy, and checks what the compiler cannot.
   *
   * @throws `CONFIG_INVALID` whose `field` is the JSON path of what is wrong.
   */
  policy(name: string, rules: readonly PolicyRule[], options?: PolicyOptions): Policy;
  /**
   * Checks that a value, such as the content of a JSON file, is a policy that speaks of this model only.
   *
   * @throws `CONFIG_INVALID` whose `field` is the JSON path of what is wrong.
   */
  parse(json: unknown): Policy;
  /**
   * The access request itself: the compiler checks it against the model. What comes from outside (roles of a token,
   * attributes of a row) is not checked again; a value of another type is unknown to the rules.
   */
  request<const R extends ResourceOf<M>>(request: ModelRequest<M, R>): AccessRequest;
  /** The model as it was defined, a frozen copy. */
  readonly definition: M;
}

/**
 * Declares what policies may speak of: roles, actions, attributes and their types. Everything else, and a constant
 * of another type, does not compile in code, and is refused with its path in JSON.
 *
 * @throws `CONFIG_INVALID` whose `field` is what is wrong in the definition.
 * @example
 * const model = defineModel({
 *   roles: { editor: ['viewer'], viewer: [] },
 *   subject: { department: 'string' },
 *   resources: {
 *     document: { actions: ['read', 'update'], attributes: { owner_id: 'string', sensitivity: ['low', 'high'] } },
 *   },
 * });
 * const document = model.rules('document');
 * const documents = model.policy('documents', [
 *   document.allow('owner', document.owner('owner_id')),
 *   document.allow('low', document.eq(document.attr('resource.sensitivity'), 'low'), { actions: ['read'] }),
 *   document.allow('editors', document.hasRole('editor')),
 * ]);
 */
export function defineModel<const M extends ModelDefinition>(definition: M & WithKnownHierarchy<M>): Model<M> {
  const vocabulary = vocabularyOf(definition);
  const parse = (json: unknown): Policy => {
    const parsed = parsePolicy(json);
    checkPolicy(parsed, vocabulary);
    return parsed;
  };
  return Object.freeze({
    rules: <const R extends ResourceOf<M>>(...resources: readonly R[]) => {
      for (const type of resources) {
        if (!vocabulary.resources.has(type)) throw configInvalid('resources', 'has no such type');
      }
      return modelRules<M, R>(vocabulary, resources);
    },
    policy: (name: string, rules: readonly PolicyRule[], options?: PolicyOptions) =>
      parse(policy(name, rules, options)),
    parse,
    request: <const R extends ResourceOf<M>>(request: ModelRequest<M, R>): AccessRequest => request,
    definition: deepFreeze(structuredClone<M>(definition)),
  });
}
