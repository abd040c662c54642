import { allow, type Decision, deny } from '../core/index.ts';
import type { Answer } from './exchange.ts';
import { objectOf } from './json.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Reads OPA's answer; everything but a plain "yes" denies. */
export function decisionOf({ status, contentType, body }: Answer): Decision {
  if (status !== 200) return deny('unavailable');
  const isJson = typeof contentType === 'string' && JSON_TYPE.test(contentType);
  const answer = isJson && body !== undefined ? objectOf(body) : undefined;
  if (answer === undefined) return deny('invalid_answer');
  const id = answer.get('decision_id');
  const details = typeof id === 'string' ? { id } : {};
  if (!answer.has('result')) return deny('undefined_decision', details);
  switch (answer.get('result')) {
    case true:
      return allow('rule', details);
    case false:
      return deny('no_rule', details);
    default:
      return deny('invalid_answer', details);
  }
}
