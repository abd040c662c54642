/** The type of an attribute: of texts, numbers and booleans, lists of them, or one of the texts listed. */
export type AttributeType = 'string' | 'number' | 'boolean' | 'string[]' | 'number[]' | readonly string[];

/** Attributes by name, with their types. */
export type AttributeTypes = Readonly<Record<string, AttributeType>>;

/** A type of resource: what can be done with it, and what it has. */
export interface ResourceDefinition {
  readonly actions: readonly string[];
  readonly attributes: AttributeTypes;
}

/** What policies may speak of. */
export interface ModelDefinition {
  /** The roles; or each role with the roles it inherits, such as the `hierarchy` of a role table. */
  readonly roles: readonly string[] | Readonly<Record<string, readonly string[]>>;
  /** Attributes of subjects, beside `id` and `roles`. */
  readonly subject: AttributeTypes;
  /** The types of resources; each has a `type` and an `id` beside its attributes. */
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  /** Attributes of the environment, beside `time`, `hour`, `ip` and `userAgent`. @default none */
  readonly environment?: AttributeTypes;
  /** Names of the functions that the policy engine is given. @default none */
  readonly predicates?: readonly string[];
}

/** The same definition, in which roles inherit roles of the definition only. */
export interface WithKnownHierarchy<M extends ModelDefinition> {
  readonly roles: KnownRoles<M['roles']>;
}

type KnownRoles<Roles> = Roles extends readonly string[]
  ? readonly string[]
  : { readonly [Role in keyof Roles]: readonly (keyof Roles)[] };

/** The names of the roles of a model. */
export type RoleOf<M extends ModelDefinition> = RoleNames<M['roles']>;

type RoleNames<Roles> = Roles extends readonly (infer Role extends string)[] ? Role : keyof Roles & string;

/** The names of the resource types of a model. */
export type ResourceOf<M extends ModelDefinition> = keyof M['resources'] & string;

/** The actions of some resource types of a model. */
export type ActionOf<M extends ModelDefinition, R extends ResourceOf<M>> = M['resources'][R]['actions'][number];

/** The TypeScript type of the values of an attribute. */
export type ValueOf<T extends AttributeType> = T extends readonly (infer Text)[]
  ? Text
  : T extends 'string'
    ? string
    : T extends 'number'
      ? number
      : T extends 'boolean'
        ? boolean
        : T extends 'string[]'
          ? readonly string[]
          : readonly number[];

type Named<Prefix extends string, Types> = {
  readonly [Name in keyof Types & string as `${Prefix}.${Name}`]: Types[Name] extends AttributeType
    ? ValueOf<Types[Name]>
    : never;
};

/** Every path that a rule about some resource types may read, with the type of its values. */
export type PathsOf<M extends ModelDefinition, R extends ResourceOf<M>> = {
  readonly 'subject.id': string;
  readonly 'subject.roles': readonly RoleOf<M>[];
  readonly 'resource.type': R;
  readonly 'resource.id': string;
  readonly action: ActionOf<M, R>;
  readonly 'environment.time': number;
  readonly 'environment.hour': number;
  readonly 'environment.ip': string;
  readonly 'environment.userAgent': string;
} & Named<'subject', M['subject']> &
  Named<'resource', M['resources'][R]['attributes']> &
  Named<'environment', M['environment']>;

/** The predicates of a model. */
export type PredicateOf<M extends ModelDefinition> = M['predicates'] extends readonly (infer Name)[] ? Name : never;
