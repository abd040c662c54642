import { configInvalid, refuseUnknownOptions } from '../core/config-invalid.ts';

/** The arguments of `@auth`; a declaration of your own may have any of them, and no others. */
export const AUTH_ARGUMENTS: ReadonlySet<string> = new Set([
  'requires',
  'roles',
  'permissions',
  'scopes',
  'policy',
  'owner',
  'from',
  'rule',
  'onDeny',
  'maxAge',
  'acr',
]);

export interface AuthDirectivesOptions {
  /** What `@auth` is called in your schema. @default 'auth' */
  readonly directiveName?: string;
  /**
   * Whether to declare `@authenticated`, `@requiresScopes` and `@policy`; a subgraph of Apollo Federation has
   * declarations of its own. @default true
   */
  readonly federated?: boolean;
}

const TAKEN: ReadonlySet<string> = new Set(['public', 'authenticated', 'requiresScopes', 'policy']);

/**
 * The SDL of the directives, to be put among your type definitions. All of them add up: arguments of
 * one `@auth`, repeated `@auth`, and those of the type, its interfaces, the field and the type it returns.
 *
 * @throws `CONFIG_INVALID` for an unknown option, and when `directiveName` is not a GraphQL name or that of another
 * of these directives.
 * @example
 * const schema = makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers });
 */
export function authDirectives(options: AuthDirectivesOptions = {}): string {
  refuseUnknownOptions(options, ['directiveName', 'federated']);
  const name = options.directiveName ?? 'auth';
  if (!/^[A-Za-z]\w*$/.test(name)) {
    throw configInvalid('directiveName', 'is not a GraphQL name');
  }
  if (TAKEN.has(name)) throw configInvalid('directiveName', 'is the name of another directive for rules');
  return `"""
Lets through only who satisfies every argument. Without arguments: whoever is authenticated.
"""
directive @${name}(
  "This role."
  requires: String
  "Any of these roles."
  roles: [String!]
  "All of these permissions."
  permissions: [String!]
  "Any of these lists, all scopes of that list."
  scopes: [[String!]!]
  "Any of these lists, all policies of that list."
  policy: [[String!]!]
  "Path on the resource that holds the id of its owner, for example author.id"
  owner: String
  "What policies and owner paths look at. Default: the arguments of a root field, the parent of another."
  from: AuthResource
  "A condition that the lists cannot say."
  rule: AuthRule
  "What a known caller gets who is not let through. Default: an error."
  onDeny: AuthDenial
  "How old the login may be, in seconds."
  maxAge: Int
  "Which authentication context classes the login may have. Nothing stands for a class that is not listed."
  acr: [String!]
) repeatable on OBJECT | FIELD_DEFINITION | INTERFACE | UNION | SCALAR | ENUM | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | INPUT_OBJECT
${options.federated === false ? '' : FEDERATED_DIRECTIVES}
"""
Needs no rule where unprotected fields are denied. Never cancels a rule.
"""
directive @public on OBJECT | FIELD_DEFINITION

enum AuthResource {
  "The arguments of the field."
  ARGS
  "The object that the field belongs to."
  PARENT
  "What the field resolved to; of a list, each item."
  RESULT
}

enum AuthDenial {
  ERROR
  NULL
  "Leaves the item out of its list; on a Subscription field, does not deliver the event."
  FILTER
  "Replaces the value by what the mask of this field makes of it."
  MASK
}

"""
Exactly one of these.
"""
input AuthRule {
  role: String
  permission: String
  scope: String
  policy: String
  owner: String
  all: [AuthRule!]
  any: [AuthRule!]
  not: AuthRule
}
`;
}

const FEDERATED_DIRECTIVES = `
"""
Lets through whoever is authenticated.
"""
directive @authenticated repeatable on OBJECT | FIELD_DEFINITION | INTERFACE | UNION | SCALAR | ENUM

"""
Lets through only who has, of any of these lists, all scopes.
"""
directive @requiresScopes(scopes: [[String!]!]!) repeatable on OBJECT | FIELD_DEFINITION | INTERFACE | UNION | SCALAR | ENUM

"""
Lets through only who satisfies, of any of these lists, all policies.
"""
directive @policy(policies: [[String!]!]!) repeatable on OBJECT | FIELD_DEFINITION | INTERFACE | UNION | SCALAR | ENUM
`;
