import { configInvalid } from '../../core/config-invalid.ts';
import { isAttributePath, type Kind, kindOf } from '../condition/attribute.ts';
import { listAt, recordAt, refuseRepetition, textAt, wellFormedAt } from './json.ts';
import type { AttributeRef, ListOperand, Operand, Scalar } from './policy.ts';
import { isTimeZone } from './time-zone.ts';

export function parseAttribute(json: unknown, at: string): AttributeRef {
  const { attr, timeZone } = recordAt(at, json, ['attr'], ['timeZone']);
  if (typeof attr !== 'string' || !isAttributePath(attr)) {
    throw configInvalid(
      `${at}.attr`,
      'must be a path such as "subject.id", "resource.owner_id", "action" or "environment.hour"',
    );
  }
  return timeZone === undefined ? { attr } : { attr, timeZone: parseTimeZone(attr, timeZone, `${at}.timeZone`) };
}

function parseTimeZone(path: string, json: unknown, at: string): string {
  if (path !== 'environment.hour') throw configInvalid(at, 'belongs to "environment.hour" only');
  const timeZone = textAt(at, json);
  if (!isTimeZone(timeZone)) throw configInvalid(at, 'must be an IANA time zone such as "Europe/Berlin" or "UTC"');
  return timeZone;
}

/** An attribute or a constant whose type, as far as it is known, is one of `kinds`. */
export function parseOperand(json: unknown, at: string, kinds: readonly Kind[]): Operand {
  const operand = typeof json === 'object' ? parseAttribute(json, at) : parseConstant(json, at);
  if (!kinds.includes(kindOfOperand(operand))) throw configInvalid(at, `must not be a ${kindOfOperand(operand)} here`);
  return operand;
}

/** An attribute that may hold a list, or a list of constants of one type. */
export function parseList(json: unknown, at: string): ListOperand {
  if (!Array.isArray(json)) {
    const attribute = parseAttribute(json, at);
    const kind = kindOf(attribute.attr);
    if (kind !== undefined && kind !== 'list') throw configInvalid(at, `must be a list and not a ${kind}`);
    return attribute;
  }
  const constants = listAt(at, json).map((element, index) => parseConstant(element, `${at}[${index}]`));
  if (constants.length === 0) throw configInvalid(at, 'must not be empty');
  if (new Set(constants.map((constant) => typeof constant)).size > 1) throw configInvalid(at, 'must hold one type');
  refuseRepetition(at, constants);
  return constants;
}

/** The type of an operand, or of the elements of a constant list, as far as it is known before any request. */
export function kindOfOperand(operand: Operand | ListOperand | undefined): Kind {
  if (typeof operand === 'object') return 'attr' in operand ? kindOf(operand.attr) : kindOfOperand(operand[0]);
  const kind = typeof operand;
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : undefined;
}

export function isConstant(operand: Operand | ListOperand): boolean {
  return typeof operand !== 'object' || !('attr' in operand);
}

function parseConstant(json: unknown, at: string): Scalar {
  if (typeof json === 'string') return wellFormedAt(at, json);
  if (typeof json === 'boolean') return json;
  // JSON does not keep the sign of zero.
  if (typeof json === 'number' && Number.isFinite(json)) return json === 0 ? 0 : json;
  throw configInvalid(at, 'must be a string, a finite number, a boolean or {"attr": path}');
}
