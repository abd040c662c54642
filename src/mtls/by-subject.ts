import { configInvalid } from '../core/config-invalid.ts';
import type { ClientCertificate, Subject } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';

/** One service and the subject of its certificates. */
export interface SubjectEntry {
  /** All attributes of the certificate's subject by their short names, for example `{ O: 'Example', CN: 'billing' }`. */
  readonly subject: Readonly<Record<string, string>>;
  readonly principal: Subject;
}

/**
 * Knows services by the subject of their certificates: all of its attributes, letter by letter, and no others. (A
 * common name alone is as good as unique only where one authority names one organisation.)
 *
 * @throws `CONFIG_INVALID` for an entry without attributes or without a principal, and for a subject that stands twice.
 * @example
 * const billing = { id: 'service:billing', roles: ['editor'], attributes: {} };
 * const principalOf = bySubject([{ subject: { O: 'Example', CN: 'billing' }, principal: billing }]);
 */
export function bySubject(entries: readonly SubjectEntry[]): (certificate: ClientCertificate) => Subject | undefined {
  if (!Array.isArray(entries)) throw configInvalid('entries', 'must be a list');
  const principals = new Map<string, Subject>();
  for (const entry of entries) {
    const principal = ownProperty(entry, 'principal') as Subject | undefined;
    const subject = Object(ownProperty(entry, 'subject')) as SubjectEntry['subject'];
    const attributes = Object.values(subject);
    if (attributes.length === 0 || !attributes.every((value) => typeof value === 'string')) {
      throw configInvalid('entries', 'must have a subject with attributes');
    }
    if (typeof principal?.id !== 'string' || principal.id === '')
      throw configInvalid('entries', 'must have principals');
    const key = keyOf(subject);
    if (principals.has(key)) throw configInvalid('entries', 'has a subject twice');
    principals.set(key, principal);
  }
  return ({ subject }) => principals.get(keyOf(subject));
}

/** A JSON text, so that no value can look like another attribute. */
function keyOf(subject: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(subject).sort(([a], [b]) => (a < b ? -1 : 1)));
}
