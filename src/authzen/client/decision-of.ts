import { allow, type Decision, deny } from '../../core/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { ownProperty } from '../../core/own-property.ts';
import type { ClientSettings } from './options.ts';

/**
 * Reads one decision; everything but an own `true` denies. A context that reports an error says that there was no
 * decision, and an allow that asks for something this enforcement point does not understand is none.
 */
export function decisionOf(answer: unknown, { understands }: ClientSettings): Decision {
  const given = ownProperty(answer, 'decision');
  const context = ownProperty(answer, 'context') ?? {};
  if (typeof given !== 'boolean' || typeof context !== 'object' || Array.isArray(context))
    return deny('invalid_answer');
  if (Object.hasOwn(context, 'error')) return deny(given ? 'invalid_answer' : 'error');
  if (!given) return deny('no_rule');
  return isUnderstood(context as JsonObject, understands) ? allow('rule') : deny('invalid_answer');
}

/**
 * Reads the decisions of a batch. With one too few or too many nobody can tell which belongs to which, so that
 * none of them counts.
 */
export function decisionsOf(answer: JsonObject, count: number, settings: ClientSettings): readonly Decision[] {
  const items = ownProperty(answer, 'evaluations');
  const isWhole = Array.isArray(items) && items.length === count;
  return Array.from({ length: count }, (_, index) =>
    isWhole ? decisionOf(items[index], settings) : deny('invalid_answer'),
  );
}

function isUnderstood(context: JsonObject, understands: ClientSettings['understands']): boolean {
  try {
    return understands(context) === true;
  } catch {
    return false;
  }
}
