import type { Environment, Subject } from '../../core/index.ts';
import type { ActionOf, AttributeTypes, ModelDefinition, ResourceOf, RoleOf, ValueOf } from './definition.ts';

/** Values for some of the attributes; who does not know one leaves it out. */
export type AttributeValues<Types> = {
  readonly [Name in keyof Types]?: Types[Name] extends AttributeTypes[string] ? ValueOf<Types[Name]> : never;
};

/** An access request that speaks of a model only. */
export interface ModelRequest<M extends ModelDefinition, R extends ResourceOf<M>> {
  readonly subject: Omit<Subject, 'roles' | 'attributes'> & {
    readonly roles: readonly RoleOf<M>[];
    readonly attributes: AttributeValues<M['subject']>;
  };
  readonly action: ActionOf<M, R>;
  readonly resource: {
    readonly type: R;
    readonly id?: string;
    readonly attributes: AttributeValues<M['resources'][R]['attributes']>;
  };
  readonly environment: Omit<Environment, 'attributes'> & { readonly attributes?: AttributeValues<M['environment']> };
}
