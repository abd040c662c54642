import { ownProperty } from '../core/own-property.ts';
import { membersOf } from './members.ts';

/** The revisions of the bundles that answered, by name, as one text: `authz@17,users@4`. */
export function revisionOf(provenance: unknown): string | undefined {
  if (provenance === undefined) return undefined;
  const revisions = [...membersOf(ownProperty(provenance, 'bundles'))]
    .map(([name, bundle]) => [name, ownProperty(bundle, 'revision')])
    .filter(([, revision]) => typeof revision === 'string' && revision !== '')
    .map(([name, revision]) => `${name}@${revision}`);
  return revisions.length === 0 ? undefined : revisions.sort().join(',');
}
