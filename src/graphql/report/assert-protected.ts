import type { GraphQLSchema } from 'graphql';
import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { checkedProtection } from './checked-protection.ts';

export interface AssertProtectedOptions {
  /** Whether a schema passes that enforces nothing yet. @default false */
  readonly allowDryRun?: boolean;
}

/**
 * Checks the schema that is about to be served: that {@link protectSchema} was applied to it, and that nothing
 * done to it since (a merge, an extension, replaced resolvers, a renamed type) left a field with less than its
 * rules ask.
 *
 * @throws `CONFIG_INVALID` naming the first place that lost its guard or never had one, and for a dry run.
 * @example
 * assertProtected(schema);
 */
export function assertProtected(schema: GraphQLSchema, options: AssertProtectedOptions = {}): void {
  refuseUnknownOptions(options, ['allowDryRun']);
  const { enforce } = checkedProtection(schema).options;
  if (enforce !== 'dry-run' || options.allowDryRun === true) return;
  throw configInvalid(
    'schema',
    'is protected for a dry run, which enforces nothing; say allowDryRun where that is meant',
  );
}
