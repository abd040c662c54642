import type { AccessRequest } from '../core/index.ts';

/**
 * The roles to ask a policy for that reads one `user.role`: each once, the most privileged first.
 * Without any role it is asked for the role `""`.
 */
export function rolesToAsk(roles: readonly string[], order: readonly string[]): readonly string[] {
  const held = rolesOf(roles);
  if (held.length === 1) return held;
  const known = order.filter((role) => held.includes(role));
  const others = held.filter((role) => !order.includes(role));
  return held.length === 0 ? [''] : [...known, ...others];
}

/** The input of one decision call. Only texts are sent where the policy expects texts; what is missing or empty is left out. */
export function wireInput({ subject, action, resource, environment }: AccessRequest, role: string): unknown {
  return {
    user: {
      id: text(subject.id),
      role,
      department: attribute(subject.attributes, 'department'),
      roles: rolesOf(subject.roles),
    },
    resource: {
      id: text(resource.id),
      owner_id: attribute(resource.attributes, 'owner_id'),
      department: attribute(resource.attributes, 'department'),
      sensitivity: attribute(resource.attributes, 'sensitivity'),
    },
    action: text(action),
    environment: {
      hour: Number.isFinite(environment.hour) ? environment.hour : undefined,
      ip: text(environment.ip),
      user_agent: text(environment.userAgent),
    },
  };
}

/**
 * The body of one decision call. To OPA a `null` is no input at all, and a rule that only looks for what must not be
 * there would allow it.
 *
 * @throws an `Error` for what is no input
 */
export function bodyOf(input: unknown): string {
  const body = JSON.stringify({ input });
  if (body === '{}' || body === '{"input":null}') throw new Error('There is no input');
  return body;
}

function rolesOf(roles: unknown): readonly string[] {
  if (Array.isArray(roles) && roles.length === 1 && typeof roles[0] === 'string') return [roles[0]];
  return Array.isArray(roles) ? [...new Set(roles.filter((role) => typeof role === 'string'))] : [];
}

function attribute(attributes: Readonly<Record<string, unknown>>, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? text(attributes[name]) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
