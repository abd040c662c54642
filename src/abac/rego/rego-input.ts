import { configInvalid } from '../../core/config-invalid.ts';
import { isField, namesIn } from '../condition/attribute.ts';
import { quoted } from '../condition/printable.ts';
import type { AttributePath } from '../policy/policy.ts';
import { isTimeZone } from '../policy/time-zone.ts';
import { regoReference } from './rego-text.ts';

/** Where a module finds what a policy reads. */
export interface RegoInput {
  /**
   * The term for a value of the request: a reference such as `input.user.id`, or a call of one of the `rules`
   * with a reference. An undefined term is a missing value.
   */
  readonly term: (path: AttributePath) => string;
  /**
   * Rego that the terms need, copied into the module as it stands. It is code of yours: nothing in it is checked, and
   * a name that the module defines itself (`allow`, `decision`, `known`) would get a second meaning.
   */
  readonly rules?: string;
}

/** The request as JSON. */
export const requestInput: RegoInput = {
  term: (path) => {
    if (path === 'action') return regoReference('action');
    const { part, name } = namesIn(path);
    return isField(path) ? regoReference(part, name) : regoReference(part, 'attributes', name);
  },
};

const CALL_TERMS: ReadonlyMap<string, string> = new Map([
  ['subject.id', 'user_id'],
  ['subject.roles', 'roles'],
  ['subject.department', 'text(input.user.department)'],
  ['action', 'action'],
  ['resource.id', 'text(input.resource.id)'],
  ['resource.owner_id', 'text(input.resource.owner_id)'],
  ['resource.department', 'text(input.resource.department)'],
  ['resource.sensitivity', 'text(input.resource.sensitivity)'],
  ['environment.time', 'now'],
  ['environment.hour', 'hour'],
  ['environment.ip', 'text(input.environment.ip)'],
  ['environment.userAgent', 'text(input.environment.user_agent)'],
]);

/**
 * The `input` of a decision call, as `createOpaClient` sends it, read as `createDecisionEndpoint` reads it: a `user`
 * with one `role`, a `resource` and an `action`. OPA's clock tells the time, and the hour when a call does not.
 *
 * @param timeZone - IANA name of the zone in which OPA's clock tells the hour
 * @throws `CONFIG_INVALID` when the time zone is none; {@link toRego} when a policy reads what a call does not send.
 * @example
 * const module = toRego(contractPolicy, { input: decisionCallInput('Europe/Berlin') });
 */
export function decisionCallInput(timeZone = 'UTC'): RegoInput {
  if (!isTimeZone(timeZone)) throw configInvalid('timeZone', 'must be an IANA time zone such as "Europe/Berlin"');
  return {
    term: (path) => {
      const term = CALL_TERMS.get(path);
      if (term === undefined) throw configInvalid('input', `has no ${path}: a decision call does not send it`);
      return term;
    },
    rules: `# What a decision call sends. A value of another type counts as missing.
text(value) := value if is_string(value)

user_id := input.user.id if is_string(input.user.id)

else := ""

roles := [input.user.role] if is_string(input.user.role)

else := []

action := input.action if is_string(input.action)

else := ""

now := time.now_ns() / 1000000

hour := input.environment.hour if is_number(input.environment.hour)

else := time.clock([time.now_ns(), ${quoted(timeZone)}])[0]`,
  };
}
