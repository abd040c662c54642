import { AbilityBuilder, createMongoAbility, subject } from '@casl/ability';

/** What one person may do. The hour is put on the document, since CASL's conditions read nothing else. */
export function abilityOf({ id, role, department }) {
  const { can, build } = new AbilityBuilder(createMongoAbility);
  if (role === 'admin') can('manage', 'all');
  can('manage', 'document', { sensitivity: 'high', hour: { $gte: 9, $lte: 18 }, department });
  can('manage', 'document', { owner_id: id });
  can('read', 'document', { department });
  return build();
}

export const caslDocument = (document, hour) => subject('document', { ...document, hour });
