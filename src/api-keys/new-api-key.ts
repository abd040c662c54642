import { isAccountId } from '../core/identifiers.ts';
import { DoorwardError } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';

/** What a new key is to be; members of parsed JSON may be handed in as they are. */
export interface NewApiKey {
  /** The account on whose behalf the key acts: who is logged in, never what a client sends. */
  readonly accountId: string;
  /** What its owner calls it: 1 to 128 characters. */
  readonly name: unknown;
  /** What it may be used for, among the `scopes` of the options. A key never does more than its account may. */
  readonly scopes: unknown;
  /** When it ends, RFC 3339, in the future; without it the key has no end. */
  readonly expiresAt?: unknown;
}

/** The same, checked. */
export interface CheckedApiKey {
  readonly accountId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expiresAt?: number;
}

const NAME = /^[^\p{C}]{1,128}$/u;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** @throws `INPUT_INVALID` with the `field` at fault. */
export function readNewApiKey(input: NewApiKey, known: readonly string[], now: number): CheckedApiKey {
  const accountId = ownProperty(input, 'accountId');
  if (!isAccountId(accountId)) return refuse('accountId', 'must be the id of an account');
  const name = ownProperty(input, 'name');
  if (typeof name !== 'string' || !NAME.test(name)) return refuse('name', 'must be 1 to 128 printable characters');
  const expiresAt = readEnd(ownProperty(input, 'expiresAt'), now);
  const scopes = readScopes(ownProperty(input, 'scopes'), known);
  return { accountId, name, scopes, ...(expiresAt !== undefined && { expiresAt }) };
}

function readScopes(value: unknown, known: readonly string[]): readonly string[] {
  if (!Array.isArray(value)) return refuse('scopes', 'must be a list of known scopes');
  const scopes = new Set<string>();
  for (const scope of Array.from<unknown>(value)) {
    if (typeof scope !== 'string' || !known.includes(scope)) refuse('scopes', 'must be a list of known scopes');
    scopes.add(scope);
  }
  return [...scopes];
}

/** @throws `INPUT_INVALID` for what is no moment in the future. */
export function readEnd(value: unknown, now: number): number | undefined {
  if (value === undefined) return undefined;
  const time = typeof value === 'string' && DATE_TIME.test(value) ? Date.parse(value) : Number.NaN;
  return time > now ? time : refuse('expiresAt', 'must be a date and time of RFC 3339 in the future');
}

function refuse(field: string, problem: string): never {
  throw new DoorwardError('INPUT_INVALID', { field, problem });
}
