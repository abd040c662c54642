import {
  type DocumentNode,
  type ExecutionArgs,
  execute,
  type GraphQLSchema,
  type ValidationRule,
  validate,
} from 'graphql';

/** Validation and execution that do not suggest the names of fields to whoever guesses. */
export function quiet(hideSuggestions: boolean) {
  return {
    execute: (args: ExecutionArgs) => execute({ ...args, hideSuggestions }),
    validate: (schema: GraphQLSchema, document: DocumentNode, rules?: readonly ValidationRule[]) =>
      validate(schema, document, rules, { hideSuggestions }),
  };
}
