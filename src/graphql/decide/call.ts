import type { GraphQLResolveInfo } from 'graphql';
import type { Principal } from '../../core/index.ts';
import type { AuthContext } from '../auth-context.ts';

/** One field being resolved for a known principal. */
export interface Call {
  readonly coordinate: string;
  readonly principal: Principal;
  readonly auth: AuthContext;
  readonly context: unknown;
  readonly args: Readonly<Record<string, unknown>>;
  readonly parent: unknown;
  /** The execution that the call belongs to; without it no decision about a resource is remembered. */
  readonly info?: GraphQLResolveInfo | undefined;
}

/** What a rule is about; see `PolicyInput`. */
export interface About {
  readonly resource: unknown;
  readonly result?: unknown;
}
