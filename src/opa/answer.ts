import { allow, type Decision, deny } from '../core/index.ts';
import { parseJsonObject } from '../core/json-object.ts';
import { ownProperty } from '../core/own-property.ts';
import type { Answer } from './exchange.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Reads OPA's answer; everything but a plain "yes", said once, denies. */
export function decisionOf({ status, contentType, body }: Answer): Decision {
  if (status !== 200) return deny('unavailable');
  const isJson = typeof contentType === 'string' && JSON_TYPE.test(contentType);
  const answer = isJson && body !== undefined ? parseJsonObject(body) : undefined;
  if (answer === undefined) return deny('invalid_answer');
  const id = ownProperty(answer, 'decision_id');
  const details = typeof id === 'string' ? { id } : {};
  if (!Object.hasOwn(answer, 'result')) return deny('undefined_decision', details);
  switch (ownProperty(answer, 'result')) {
    case true:
      return allow('rule', details);
    case false:
      return deny('no_rule', details);
    default:
      return deny('invalid_answer', details);
  }
}
