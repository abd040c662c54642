import type { AccessRequest } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';

/**
 * The access request itself as the input of a policy, for example of a module made by `toRego`: the members of the
 * request under their own names, and of the attributes what JSON can say. A number that is not finite, a function
 * and the methods of an object are left out, and are `null` in a list; nothing inherited, and no session, is in it.
 *
 * All attributes of the subject, the resource and the environment leave the process. With `environment.time` in it
 * no two inputs are equal, so no answer is shared or remembered: see {@link accessRequestInputWithoutTime}.
 *
 * @example
 * const opa = createOpaClient({ url: 'http://127.0.0.1:8181', input: accessRequestInput });
 */
export function accessRequestInput({ subject, action, resource, environment }: AccessRequest): unknown {
  return {
    subject: own(subject, ['id', 'roles', 'scopes', 'attributes']),
    action: jsonOf(action),
    resource: own(resource, ['type', 'id', 'attributes']),
    environment: own(environment, ['time', 'hour', 'ip', 'userAgent', 'attributes']),
  };
}

/**
 * The same as {@link accessRequestInput} without `environment.time`, so that equal requests are equal questions, which
 * share calls and can be remembered. It is for policies that do not read the time, which `hourBetween` with a time
 * zone and comparisons with `environment.time` do: to them the time is then unknown, so they allow nothing by it.
 *
 * @example
 * const opa = createOpaClient({ url: 'http://127.0.0.1:8181', input: accessRequestInputWithoutTime });
 */
export function accessRequestInputWithoutTime({ subject, action, resource, environment }: AccessRequest): unknown {
  const { time, ...moment } = environment;
  return accessRequestInput({ subject, action, resource, environment: moment as AccessRequest['environment'] });
}

function own(holder: unknown, names: readonly string[]): unknown {
  return Object.fromEntries(names.map((name) => [name, jsonOf(ownProperty(holder, name))]));
}

/** A date or a boxed text has a `toJSON` or a value that would become a text; here they are objects like others. */
function jsonOf(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'object':
      if (value === null) return null;
      if (Array.isArray(value)) return Array.from(value, (item) => jsonOf(item) ?? null);
      return Object.fromEntries(
        Object.entries(value)
          .map(([name, member]) => [name, jsonOf(member)] as const)
          .filter(([, member]) => member !== undefined),
      );
    default:
      return undefined;
  }
}
