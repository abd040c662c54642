import type {
  GraphQLArgument,
  GraphQLField,
  GraphQLInputField,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLObjectType,
} from 'graphql';

export type Composite = GraphQLObjectType | GraphQLInterfaceType;
export type OutputField = GraphQLField<unknown, unknown>;

/** Which parts of a schema a caller of some kind can see. */
export interface Visibility {
  /** Whether a type of the whole is one of the visible schema. */
  hasType(name: string): boolean;
  hasField(type: Composite, field: OutputField): boolean;
  hasArgument(type: Composite, field: OutputField, arg: GraphQLArgument): boolean;
  hasInputField(type: GraphQLInputObjectType, field: GraphQLInputField): boolean;
}

/** What is hidden, without regard to what can be reached. */
export interface Hidden extends Omit<Visibility, 'hasType'> {
  /** Types of which a caller can never get, or give, a value. */
  readonly dead: ReadonlySet<string>;
}
