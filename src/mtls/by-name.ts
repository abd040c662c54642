import { configInvalid } from '../core/config-invalid.ts';
import type { ClientCertificate, Subject } from '../core/index.ts';

const NAME = /^(?:DNS|URI|email|IP Address|DirName|Registered ID):./s;

/**
 * Knows services by a subject alternative name of their certificates, letter by letter: no prefixes, no wildcards. A
 * certificate whose names mean two services means neither.
 *
 * @param table - each name with its kind, for example `URI:spiffe://example.org/billing`
 * @throws `CONFIG_INVALID` for a name without its kind, or one that is no subject.
 * @example
 * const principalOf = byName({ 'URI:spiffe://example.org/billing': { id: 'billing', roles: ['editor'], attributes: {} } });
 */
export function byName(
  table: Readonly<Record<string, Subject>>,
): (certificate: ClientCertificate) => Subject | undefined {
  const subjects = new Map(Object.entries(Object(table) as typeof table));
  for (const [name, subject] of subjects) {
    if (!NAME.test(name)) throw configInvalid('table', 'must have names such as URI:spiffe://example.org/billing');
    if (typeof subject?.id !== 'string' || subject.id === '') throw configInvalid('table', 'must hold subjects');
  }
  return ({ names }) => {
    const found = new Set(names.flatMap((name) => subjects.get(name) ?? []));
    const [first] = found;
    return found.size === 1 ? first : undefined;
  };
}
