import { allow, type Decision, deny, type Principal } from '../../core/index.ts';

const FORBIDDEN_SEGMENTS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Splits an owner path; `undefined` when it is no path of plain property names. */
export function ownerPath(text: string): readonly string[] | undefined {
  const path = text.split('.');
  const legal = path.every((segment) => /^[A-Za-z_]\w*$/.test(segment) && !FORBIDDEN_SEGMENTS.has(segment));
  return legal ? path : undefined;
}

/** Decides whether the resource belongs to the principal. Unknown, not "no", where an id is missing. */
export function ownerDecision(principal: Principal, resource: unknown, path: readonly string[]): Decision {
  const owner = identity(path.reduce(property, resource));
  const self = identity(principal.id);
  if (owner === undefined || self === undefined) return deny('undefined_decision');
  return owner === self ? allow('rule') : deny('rule');
}

function identity(id: unknown): string | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : undefined;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Reads an own property, or a getter of the object's class; never what any object inherits. */
function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, name)) return (value as Readonly<Record<string, unknown>>)[name];
  let prototype: unknown = Object.getPrototypeOf(value);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
    if (descriptor !== undefined) return descriptor.get?.call(value);
    prototype = Object.getPrototypeOf(prototype);
  }
  return undefined;
}
