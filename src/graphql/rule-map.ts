/** Exactly one of the properties of a type. */
type OneOf<T> = {
  [K in keyof T]: { readonly [P in K]: T[P] } & { readonly [P in Exclude<keyof T, K>]?: never };
}[keyof T];

/** A condition that lists cannot say; each has exactly one key. */
export type RuleCondition<PolicyName extends string = string> = OneOf<{
  role: string;
  permission: string;
  scope: string;
  policy: PolicyName;
  owner: string;
  all: readonly RuleCondition<PolicyName>[];
  any: readonly RuleCondition<PolicyName>[];
  not: RuleCondition<PolicyName>;
}>;

/** The arguments of `@auth`, all of which must hold. Without any: whoever is authenticated. */
export interface RuleArguments<PolicyName extends string = string> {
  /** This role. */
  readonly requires?: string;
  /** Any of these roles. */
  readonly roles?: readonly string[];
  /** All of these permissions. */
  readonly permissions?: readonly string[];
  /** Any of these lists, all scopes of that list. */
  readonly scopes?: readonly (readonly string[])[];
  /** Any of these lists, all policies of that list. */
  readonly policy?: readonly (readonly PolicyName[])[];
  /** Path on the resource that holds the id of its owner. */
  readonly owner?: string;
  readonly rule?: RuleCondition<PolicyName>;
  /** What policies and owner paths look at. @default the arguments of a root field, the parent of another */
  readonly from?: 'ARGS' | 'PARENT' | 'RESULT';
  /** What a known caller gets who is not let through. @default 'ERROR' */
  readonly onDeny?: 'ERROR' | 'NULL' | 'FILTER' | 'MASK';
  /** How old the login may be, in seconds. */
  readonly maxAge?: number;
  /** Which authentication context classes the login may have. */
  readonly acr?: readonly string[];
}

/** What the map says of one place: one `@auth`, several that must all hold, or `@public`. */
export type RuleEntry<PolicyName extends string = string> =
  | 'public'
  | RuleArguments<PolicyName>
  | readonly RuleArguments<PolicyName>[];

/**
 * Rules by coordinate: `Type`, `Type.field`, `Type.field(argument:)`, `Input.field`. They stand beside those of the
 * SDL, and all must hold.
 */
export type RuleMap<PolicyName extends string = string, Coordinate extends string = string> = {
  readonly [C in Coordinate]?: RuleEntry<PolicyName>;
};

/**
 * The coordinates of a type that maps type names to their fields, such as the `Resolvers` that GraphQL Code
 * Generator writes. Input types are not among resolvers; add them: `Resolvers & { PostInput: PostInput }`.
 */
export type CoordinatesOf<Types> = {
  [T in keyof Types & string]: T | FieldCoordinates<T, NonNullable<Types[T]>>;
}[keyof Types & string];

type FieldCoordinates<T extends string, Fields> = Fields extends { readonly parseValue: unknown }
  ? never // A scalar type object, whose properties are no fields.
  : { [F in FieldName<Fields>]: `${T}.${F}` | ArgumentCoordinates<`${T}.${F}`, Fields[F]> }[FieldName<Fields>];

type FieldName<Fields> = Exclude<keyof Fields & string, `__${string}`>;

type ArgumentCoordinates<C extends string, Resolver> = Resolver extends (
  parent: never,
  args: infer Args,
  ...rest: never
) => unknown
  ? unknown extends Args
    ? never
    : `${C}(${keyof Args & string}:)`
  : never;

/**
 * Types a map of rules against the coordinates of your schema, and the names of your policies: a misspelt one does
 * not compile.
 *
 * @example
 * const rules = defineRules<Resolvers, keyof typeof policies & string>({
 *   'Query.posts': { permissions: ['read'] },
 *   'User.email': [{ owner: 'id' }, { scopes: [['email']] }],
 * });
 */
export function defineRules<Types, PolicyName extends string = string>(
  rules: RuleMap<PolicyName, CoordinatesOf<Types>>,
): RuleMap<PolicyName, CoordinatesOf<Types>> {
  return rules;
}
