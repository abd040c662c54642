import type { MaybePromise } from '../core/index.ts';
import type { RequestInfo } from './handler.ts';

/** The parameters of a route by name, decoded once. */
export type Params = Readonly<Record<string, string>>;

/** The route that a request took. */
export interface Route {
  /** As it is written in the table, for example `DELETE /api/users/{id}`. */
  readonly name: string;
  readonly params: Params;
}

/** A {@link Handler} that may also look at its route. */
export type RouteHandler = (request: Request, info: RequestInfo, route: Route) => MaybePromise<Response>;

/** Handlers by method and path; a segment in braces is a parameter: `DELETE /api/users/{id}`. */
export type Routes = Readonly<Record<string, RouteHandler>>;
