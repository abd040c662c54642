import { configInvalid } from '../core/config-invalid.ts';
import type { DoorwardError } from '../core/index.ts';
import type { RouteHandler, Routes } from './route.ts';

/** One method of one path. */
export interface Endpoint {
  readonly name: string;
  readonly handler: RouteHandler;
  readonly parameters: readonly { readonly name: string; readonly index: number }[];
}

export interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  parameter: RouteNode | undefined;
  readonly methods: Map<string, Endpoint>;
}

const ROUTE = /^([A-Z]+) (\/\S*)$/;
const PARAMETER = /^\{([A-Za-z_]\w*)\}$/;
const LITERAL = /^[\w.~!$&'()*+,;=:@-]*$/;

/** Compiles a table of routes into a tree of path segments. */
export function compileRoutes(routes: Routes): RouteNode {
  const root = node();
  for (const [name, handler] of Object.entries(routes)) {
    const [, method = '', path = ''] = ROUTE.exec(name) ?? [];
    if (path === '' || typeof handler !== 'function')
      throw invalid(name, 'must be like "GET /path" and have a handler');
    const parameters: { name: string; index: number }[] = [];
    let at = root;
    for (const [index, segment] of path.slice(1).split('/').entries()) {
      const parameter = PARAMETER.exec(segment)?.[1];
      if (parameter === undefined) {
        if (!LITERAL.test(segment)) throw invalid(name, 'has a segment that no path can have');
        at = childOf(at, segment);
      } else {
        if (parameters.some((known) => known.name === parameter)) throw invalid(name, 'names a parameter twice');
        parameters.push({ name: parameter, index });
        at.parameter ??= node();
        at = at.parameter;
      }
    }
    if (at.methods.has(method)) throw invalid(name, 'is defined twice');
    at.methods.set(method, { name, handler, parameters });
  }
  return root;
}

/** The node of a path; at every segment a literal is tried before a parameter, and no parameter is empty. */
export function findRoute(at: RouteNode, segments: readonly string[], index = 0): RouteNode | undefined {
  const segment = segments[index];
  if (segment === undefined) return at.methods.size > 0 ? at : undefined;
  const literal = at.literals.get(segment);
  const found = literal && findRoute(literal, segments, index + 1);
  if (found !== undefined || segment === '' || at.parameter === undefined) return found;
  return findRoute(at.parameter, segments, index + 1);
}

function childOf(parent: RouteNode, segment: string): RouteNode {
  const child = parent.literals.get(segment) ?? node();
  parent.literals.set(segment, child);
  return child;
}

function node(): RouteNode {
  return { literals: new Map(), parameter: undefined, methods: new Map() };
}

function invalid(name: string, problem: string): DoorwardError {
  return configInvalid(`routes["${name}"]`, problem);
}
