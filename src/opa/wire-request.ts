import type { AccessRequest, Attributes, EnvironmentSource } from '../core/index.ts';
import { membersOf } from './members.ts';

/**
 * Reads the `input` of a decision call with a `user`, as `createOpaClient` sends it. What is not of the type that the
 * call asks for counts as missing.
 *
 * @example
 * const request = readDecisionCallInput({ user: { id: 'ada', role: 'editor' }, action: 'update' }, environmentSource());
 */
export function readDecisionCallInput(input: unknown, environment: EnvironmentSource): AccessRequest {
  const members = membersOf(input);
  const user = membersOf(members.get('user'));
  const resource = membersOf(members.get('resource'));
  const moment = membersOf(members.get('environment'));
  const role = text(user.get('role'));
  const resourceId = text(resource.get('id'));
  const ip = text(moment.get('ip'));
  const userAgent = text(moment.get('user_agent'));
  const hour = moment.get('hour');
  return {
    subject: {
      id: text(user.get('id')) ?? '',
      roles: role === undefined ? [] : [role],
      attributes: texts(user, ['department']),
    },
    action: text(members.get('action')) ?? '',
    resource: {
      type: '',
      ...(resourceId !== undefined && { id: resourceId }),
      attributes: texts(resource, ['owner_id', 'department', 'sensitivity']),
    },
    environment: {
      ...environment({ ...(ip !== undefined && { ip }), ...(userAgent !== undefined && { userAgent }) }),
      ...(typeof hour === 'number' && { hour }),
    },
  };
}

function texts(members: ReadonlyMap<string, unknown>, names: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name) => [name, text(members.get(name))]));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
