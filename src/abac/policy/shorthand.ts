import { configInvalid } from '../../core/config-invalid.ts';
import { and, attr, contains, eq, gte, lte, or } from './build.ts';
import type { AttributeRef, Condition } from './policy.ts';
import { isTimeZone } from './time-zone.ts';

/**
 * The subject's id is the one in the resource's attribute, which is `owner_id` unless another is named.
 *
 * @example
 * rule.allow('author', owner('author_id'));
 */
export function owner(attribute = 'owner_id'): Condition {
  return eq(attr('subject.id'), attr(`resource.${attribute}`));
}

/**
 * Subject and resource belong to one department.
 *
 * @example
 * rule.allow('read-same-department', and(eq(attr('action'), 'read'), sameDepartment()));
 */
export function sameDepartment(): Condition {
  return eq(attr('subject.department'), attr('resource.department'));
}

/**
 * The subject holds the role.
 *
 * @example
 * rule.allow('admin', hasRole('admin'));
 */
export function hasRole(role: string): Condition {
  return contains(attr('subject.roles'), role);
}

/**
 * The hour of the day lies between two hours, both included: `hourBetween(9, 18)` is 09:00:00 to
 * 18:59:59. A window whose end is before its start runs over midnight.
 *
 * @param timeZone - IANA name of the zone in which the hour of `environment.time` is counted; without it the hour is
 * the one that the request brings
 * @throws `CONFIG_INVALID` when an hour is not a whole number from 0 to 23, or the zone is none.
 * @example
 * rule.allow('night-shift', hourBetween(22, 5, 'Europe/Berlin'));
 */
export function hourBetween(from: number, to: number, timeZone?: string): Condition {
  for (const hour of [from, to]) {
    if (!Number.isInteger(hour) || hour < 0 || hour > 23) {
      throw configInvalid('hourBetween', 'takes whole hours from 0 to 23');
    }
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) throw configInvalid('hourBetween', 'takes an IANA time zone');
  const hour: AttributeRef = { attr: 'environment.hour', ...(timeZone !== undefined && { timeZone }) };
  return (from <= to ? and : or)(gte(hour, from), lte(hour, to));
}
