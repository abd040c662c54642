import type { AccessRequest, Attributes, EnvironmentSource } from '../core/index.ts';
import { membersOf } from './members.ts';

/**
 * Reads an access request that is itself the input of a decision call, as `accessRequestInput` writes it. What is
 * not of its type counts as missing; the moment is the server's own where the call tells no time or hour, and so is every fact that `environment` tells.
 *
 * @example
 * const endpoint = createDecisionEndpoint({ pdp: engine, environment, readInput: readAccessRequestInput });
 */
export function readAccessRequestInput(input: unknown, environment: EnvironmentSource): AccessRequest {
  const members = membersOf(input);
  const subject = membersOf(members.get('subject'));
  const resource = membersOf(members.get('resource'));
  const moment = membersOf(members.get('environment'));
  const roles = subject.get('roles');
  const now = environment();
  return {
    subject: {
      id: text(subject.get('id')) ?? '',
      // What is no list of texts stays as it is: a policy takes it for unknown, and for no empty list.
      roles: (roles === undefined ? [] : roles) as readonly string[],
      attributes: attributesOf(subject),
    },
    action: text(members.get('action')) ?? '',
    resource: { type: text(resource.get('type')) ?? '', ...idOf(resource), attributes: attributesOf(resource) },
    environment: {
      ...now,
      ...given(moment, 'time', 'number'),
      ...given(moment, 'hour', 'number'),
      ...given(moment, 'ip', 'string'),
      ...given(moment, 'userAgent', 'string'),
      attributes: { ...attributesOf(moment), ...now.attributes },
    },
  };
}

type Members = ReadonlyMap<string, unknown>;

function idOf(resource: Members): { readonly id?: string } {
  const id = text(resource.get('id'));
  return id === undefined ? {} : { id };
}

function given(members: Members, name: string, type: 'number' | 'string'): Readonly<Record<string, unknown>> {
  const value = members.get(name);
  return typeof value === type ? { [name]: value } : {};
}

function attributesOf(holder: Members): Attributes {
  return Object.fromEntries(membersOf(holder.get('attributes')));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
