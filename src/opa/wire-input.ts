import type { AccessRequest } from '../core/index.ts';
import { isPromise } from '../core/maybe-promise.ts';

/** The roles of a subject that are texts, each once. */
export function rolesOf(roles: unknown): readonly string[] {
  if (!Array.isArray(roles)) return [];
  if (roles.length === 1 && typeof roles[0] === 'string') return roles;
  return [...new Set(roles.filter((role) => typeof role === 'string'))];
}

/**
 * The roles to ask a policy for that reads one `user.role`, the most privileged first.
 * Without any role it is asked for the role `""`.
 */
export function rolesToAsk(held: readonly string[], order: readonly string[]): readonly string[] {
  if (held.length === 1) return held;
  const known = order.filter((role) => held.includes(role));
  const others = held.filter((role) => !order.includes(role));
  return held.length === 0 ? [''] : [...known, ...others];
}

/**
 * The body of one decision call, written by hand: `JSON.stringify` alone would be a third of a decision that shares
 * its call. Only texts are sent where the policy expects texts; what is missing or empty is left out.
 */
export function wireBody(
  { subject, action, resource, environment }: AccessRequest,
  role: string,
  roles: readonly string[],
): string {
  const user =
    text('id', subject.id) +
    `,"role":${quoted(role)}` +
    attribute('department', subject.attributes) +
    `,"roles":[${roles.length === 1 ? quoted(roles[0] ?? '') : roles.map(quoted).join()}]`;
  const about =
    text('id', resource.id) +
    attribute('owner_id', resource.attributes) +
    attribute('department', resource.attributes) +
    attribute('sensitivity', resource.attributes);
  const hour = Number.isFinite(environment.hour) ? `,"hour":${environment.hour}` : '';
  const moment = hour + text('ip', environment.ip) + text('user_agent', environment.userAgent);
  // Every member brings the comma before it; the first of an object has none.
  return `{"input":{"user":{${user.slice(1)}},"resource":{${about.slice(1)}}${text('action', action)},"environment":{${moment.slice(1)}}}}`;
}

/**
 * The body of a call with an input of its own. To OPA a `null` is no input at all, and a rule that only looks for what must not be
 * there would allow it; of a promise, JSON says `{}`.
 *
 * @throws an `Error` for what is no input
 */
export function bodyOf(input: unknown): string {
  if (isPromise(input)) throw new Error('An input must be there at once');
  const body = JSON.stringify({ input });
  if (body === '{}' || body === '{"input":null}') throw new Error('There is no input');
  return body;
}

function attribute(name: string, attributes: Readonly<Record<string, unknown>>): string {
  return Object.hasOwn(attributes, name) ? text(name, attributes[name]) : '';
}

function text(name: string, value: unknown): string {
  return typeof value === 'string' && value !== '' ? `,"${name}":${quoted(value)}` : '';
}

/** What JSON writes between quotes as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(value: string): string {
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}
