import { type Decision, type Effect, isIndeterminate } from './decision.ts';
import type { AuditEvent, DecisionEvent } from './events.ts';
import { ownProperty } from './own-property.ts';

/** One event as flat names and values, fit for a log or a span: nothing but what is named here is in it. */
export type EventRecord = Readonly<Record<string, string | number | readonly string[]>>;

/** How what an event tells of went. */
export type Outcome = 'success' | 'failure' | Effect | 'unknown';

type KeysOf<T> = T extends unknown ? keyof T : never;

/** The compiler sees to it that an event has no type and no field without an entry here. */
const OUTCOMES: Readonly<Record<AuditEvent['type'], Outcome>> = {
  'account.registered': 'success',
  'account.updated': 'success',
  'account.removed': 'success',
  'login.succeeded': 'success',
  'login.failed': 'failure',
  'login.limited': 'failure',
  'credential.corrupt': 'failure',
  'credential.rehashed': 'success',
  'password.changed': 'success',
  'token.issued': 'success',
  'token.refreshed': 'success',
  'token.reused': 'failure',
  'token.revoked': 'success',
  'token.rejected': 'failure',
  'session.ended': 'success',
  'code.issued': 'success',
  'code.replayed': 'failure',
  'code.rejected': 'failure',
  'client.rejected': 'failure',
  'proof.rejected': 'failure',
  'authorization.refused': 'failure',
  'consent.granted': 'success',
  'consent.revoked': 'success',
  'step_up.required': 'failure',
  'factor.enrolled': 'success',
  'factor.removed': 'success',
  'factor.failed': 'failure',
  'recovery_code.used': 'success',
  'api_key.created': 'success',
  'api_key.replaced': 'success',
  'api_key.removed': 'success',
  'api_key.rejected': 'failure',
  'certificate.rejected': 'failure',
  'key.rotated': 'success',
  'keys.unavailable': 'failure',
  'pdp.failed': 'failure',
  'pdp.recovered': 'success',
  'pdp.warning': 'failure',
};

const FIELDS: Readonly<Record<Exclude<KeysOf<AuditEvent>, 'type'>, true>> = {
  reason: true,
  accountId: true,
  username: true,
  usernameDigest: true,
  clientId: true,
  sessionId: true,
  tokenId: true,
  fields: true,
  amr: true,
  scope: true,
  scopes: true,
  error: true,
  point: true,
  factor: true,
  left: true,
  keyId: true,
  nextKeyId: true,
  kid: true,
  state: true,
  source: true,
  ip: true,
  requestId: true,
};
const NAMES = Object.keys(FIELDS);

const MAX_LENGTH = 256;
const MAX_ITEMS = 32;

/** Reads an audit event: its type, its outcome, and its known fields. */
export function auditRecord(event: AuditEvent): EventRecord {
  const record: Draft = {};
  put(record, 'type', event.type);
  put(record, 'outcome', Object.hasOwn(OUTCOMES, event.type) ? OUTCOMES[event.type] : 'unknown');
  for (const name of NAMES) put(record, name, ownProperty(event, name));
  return record;
}

/** Reads a decision: who, what and which rule, by their ids. Attributes are not in it. */
export function decisionRecord({ point, request, decision, requestId }: DecisionEvent): EventRecord {
  const { subject, action, resource, environment } = request;
  const record: Draft = {};
  put(record, 'type', 'decision');
  put(record, 'outcome', outcomeOf(decision));
  put(record, 'reason', decision.reason);
  put(record, 'accountId', subject.id);
  put(record, 'sessionId', ownProperty(ownProperty(subject, 'session'), 'id'));
  put(record, 'point', point);
  put(record, 'action', action);
  put(record, 'resourceType', resource.type);
  put(record, 'resourceId', resource.id);
  put(record, 'ruleId', decision.ruleId);
  put(record, 'revision', decision.revision);
  put(record, 'decisionId', decision.id);
  put(record, 'ip', environment.ip);
  put(record, 'requestId', requestId);
  return record;
}

/** By what is obeyed: a decision point of your own may say one thing in `allowed` and another in `effect`. */
function outcomeOf(decision: Decision): Outcome {
  if (decision.allowed === true) return 'allow';
  return isIndeterminate(decision) ? 'unknown' : 'deny';
}

type Draft = Record<string, string | number | readonly string[]>;

function put(record: Draft, name: string, value: unknown): void {
  if (typeof value === 'string') record[name] = cut(value);
  else if (typeof value === 'number') record[name] = value;
  else if (Array.isArray(value)) record[name] = value.slice(0, MAX_ITEMS).filter(isString).map(cut);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Cuts a text, and never a character in two. */
function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const last = text.charCodeAt(MAX_LENGTH - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_LENGTH - 1 : MAX_LENGTH);
}
