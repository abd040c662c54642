import { allow, type Decision, deny } from '../core/index.ts';
import { type JsonObject, parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Answer } from './exchange.ts';
import { revisionOf } from './provenance.ts';

/** What a `decision` option makes of a result that is not just true or false. */
export interface MappedDecision {
  readonly allowed: boolean;
  /** The rule that decided. */
  readonly ruleId?: string;
  /** Epoch milliseconds until which the same request gets the same answer. */
  readonly validUntil?: number;
}

export interface Reading {
  readonly decision: Decision;
  /** Whether an OPA that is well said so, be it a "no", an error in the question, or nothing that can be taken. */
  readonly isAnswer: boolean;
  /** The code of a warning that came along. */
  readonly warning?: string;
}

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const CODE = /^[a-z_]{1,64}$/;

/** Reads OPA's answer; everything but a plain "yes", said once, denies. */
export function read(answer: Answer, mapped?: (result: unknown) => MappedDecision): Reading {
  const { status, body } = answer;
  const saysJson = isPlainJson(answer);
  const document = saysJson && body !== undefined ? parseJsonObject(body) : undefined;
  if (status !== 200) return { decision: deny('unavailable'), isAnswer: isRefusal(status, document) };
  // What cannot be taken of an answer, for example its length, may be the question's doing.
  if (document === undefined) return { decision: deny('invalid_answer'), isAnswer: saysJson };

  const warning = ownProperty(ownProperty(document, 'warning'), 'code');
  return {
    decision: decisionOf(document, mapped),
    isAnswer: true,
    ...(typeof warning === 'string' && { warning: CODE.test(warning) ? warning : 'other' }),
  };
}

/** Nothing is unpacked: a few bytes could become any number of them. */
function isPlainJson({ contentType, contentEncoding }: Answer): boolean {
  if (contentEncoding !== undefined && contentEncoding !== 'identity') return false;
  return typeof contentType === 'string' && JSON_TYPE.test(contentType);
}

/**
 * An error in OPA's own words is about this one question; anything else is a proxy, or a server that is not well.
 * If the former counted as a failure, whoever finds a question that fails could keep the server from being asked.
 */
function isRefusal(status: number, document: JsonObject | undefined): boolean {
  if (status >= 400 && status < 500) return true;
  return status === 500 && document !== undefined && typeof ownProperty(document, 'code') === 'string';
}

function decisionOf(document: JsonObject, mapped: ((result: unknown) => MappedDecision) | undefined): Decision {
  const id = ownProperty(document, 'decision_id');
  const revision = revisionOf(ownProperty(document, 'provenance'));
  const details = { ...(typeof id === 'string' && { id }), ...(revision !== undefined && { revision }) };
  if (!Object.hasOwn(document, 'result')) return deny('undefined_decision', details);
  const result = ownProperty(document, 'result');
  const outcome = mapped === undefined ? { allowed: result } : mappedBy(mapped, result);
  const ruleId = ownProperty(outcome, 'ruleId');
  const validUntil = ownProperty(outcome, 'validUntil');
  const more = {
    ...details,
    ...(typeof ruleId === 'string' && { ruleId }),
    ...(typeof validUntil === 'number' && { validUntil }),
  };
  switch (ownProperty(outcome, 'allowed')) {
    case true:
      return allow('rule', more);
    case false:
      return deny(typeof ruleId === 'string' ? 'rule' : 'no_rule', more);
    default:
      return deny('invalid_answer', details);
  }
}

function mappedBy(mapped: (result: unknown) => MappedDecision, result: unknown): unknown {
  try {
    return mapped(result);
  } catch {
    return undefined;
  }
}
