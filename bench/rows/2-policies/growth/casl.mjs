import { AbilityBuilder, createMongoAbility, subject } from '@casl/ability';
import { levelOf } from './growth.mjs';

/** One ability with a condition for each department. */
export const prepare = () => ({
  isLinear: true,
  load: (size) => {
    const { can, build } = new AbilityBuilder(createMongoAbility);
    for (let index = 0; index < size; index++) {
      can('read', 'document', { department: `department-${index}`, level: { $lte: levelOf(index) } });
    }
    const ability = build();
    return (document) => ability.can('read', document);
  },
  formOf: ({ rule, level }) => subject('document', { department: `department-${rule}`, level }),
});
