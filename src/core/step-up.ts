import type { Caller } from './caller.ts';
import { configInvalid } from './config-invalid.ts';
import { DoorwardError, type StepUp } from './errors.ts';
import { publishAudit } from './events.ts';
import { ownProperty } from './own-property.ts';
import type { Principal } from './principal.ts';

/** Where a login was found wanting, for the event `step_up.required`. */
export interface StepUpPlace extends Pick<Caller, 'ip' | 'requestId'> {
  /** For example the route, or the coordinate of the field. */
  readonly point?: string;
}

/** The clock that wrote the time of a login may be this far ahead, in seconds; what is later is no time of a login. */
const MAX_AHEAD_SECONDS = 60;

/** One value of a list that is separated by spaces and stands in a quoted string (RFC 9470 section 3, RFC 9110 section 5.6.4). */
const ACR_VALUE = /^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/;

/**
 * Demands that the login of a caller is not older than this. What has no login (an API key, a client certificate)
 * and a login of unknown time are never recent.
 *
 * @param maxAgeSeconds - seconds since the password or the other first factor was verified (`auth_time`)
 * @param time - now, in epoch milliseconds
 * @param place - where this is demanded, for the event `step_up.required`
 * @throws `AUTH_NOT_AUTHENTICATED` without a principal, `AUTH_REAUTHENTICATION_REQUIRED` for a login that is too
 * old, which becomes the challenge of RFC 9470 section 3, `CONFIG_INVALID` when `maxAgeSeconds` cannot be meant.
 * @example
 * requireRecentAuth(principal, 900, Date.now(), { point: 'changePassword' });
 */
export function requireRecentAuth(
  principal: Principal | undefined,
  maxAgeSeconds: number,
  time: number,
  place: StepUpPlace = {},
): asserts principal is Principal {
  requireLogin(principal, { maxAgeSeconds: checkedMaxAge(maxAgeSeconds, 'maxAgeSeconds') }, time, {
    point: 'requireRecentAuth',
    ...place,
  });
}

/**
 * Demands that the login of a caller has one of these authentication context classes (`acr`). The list is
 * explicit and has no order: who takes `aal1` and `aal2` names both.
 *
 * @param place - where this is demanded, for the event `step_up.required`
 * @throws `AUTH_NOT_AUTHENTICATED` without a principal, `AUTH_REAUTHENTICATION_REQUIRED` for a login of another
 * class, which becomes the challenge of RFC 9470 section 3, `CONFIG_INVALID` when the list cannot be meant.
 * @example
 * requireFactor(principal, ['aal2'], { point: 'createApiKey' });
 */
export function requireFactor(
  principal: Principal | undefined,
  acrValues: readonly string[],
  place: StepUpPlace = {},
): asserts principal is Principal {
  requireLogin(principal, { acrValues: checkedAcrValues(acrValues, 'acrValues') }, 0, {
    point: 'requireFactor',
    ...place,
  });
}

/** The one comparison behind gates, directives and direct calls; anything unknown is not good enough. */
export function meetsStepUp(principal: Principal, { maxAgeSeconds, acrValues }: StepUp, time: number): boolean {
  const session = ownProperty(principal, 'session');
  if (session === undefined) return false;
  if (maxAgeSeconds !== undefined) {
    const authTime = ownProperty(session, 'authTime');
    if (typeof authTime !== 'number' || !isRecentLogin(authTime, maxAgeSeconds, time / 1_000)) return false;
  }
  if (acrValues === undefined) return true;
  const acr = ownProperty(session, 'acr');
  return typeof acr === 'string' && acrValues.includes(acr);
}

/** Everything is in seconds. A login of the future is not recent: its clock was wrong. */
export function isRecentLogin(authTime: number, maxAge: number, now: number): boolean {
  const age = now - authTime;
  return age <= maxAge && age >= -MAX_AHEAD_SECONDS;
}

/** Publishes that a caller was asked to log in again. */
export function publishStepUp(
  { id }: Principal,
  { point, ip, requestId }: StepUpPlace & { readonly point: string },
): void {
  publishAudit({
    type: 'step_up.required',
    accountId: id,
    point,
    ...(ip !== undefined && { ip }),
    ...(requestId !== undefined && { requestId }),
  });
}

/** @throws `CONFIG_INVALID` for what is not a whole number of seconds above 0. */
export function checkedMaxAge(value: unknown, field: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw configInvalid(field, 'must be a whole number above 0');
}

/** @throws `CONFIG_INVALID` for what is not a list of classes; the copy does not change any more. */
export function checkedAcrValues(values: unknown, field: string): readonly string[] {
  if (Array.isArray(values) && values.length > 0 && values.every(isAcrValue)) return Object.freeze([...values]);
  throw configInvalid(field, 'must name at least one class, in printable ASCII without spaces and quotes');
}

/** Whether a class can stand in a list of them that is separated by spaces. */
export function isAcrValue(value: unknown): value is string {
  return typeof value === 'string' && ACR_VALUE.test(value);
}

function requireLogin(
  principal: Principal | undefined,
  stepUp: StepUp,
  time: number,
  place: StepUpPlace & { readonly point: string },
): asserts principal is Principal {
  if (!principal) throw new DoorwardError('AUTH_NOT_AUTHENTICATED');
  if (meetsStepUp(principal, stepUp, time)) return;
  publishStepUp(principal, place);
  throw new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp });
}
