import { AbilityBuilder, createMongoAbility } from '@casl/ability';
import { levelOf } from './growth.mjs';

function abilityOf(index) {
  const { can, build } = new AbilityBuilder(createMongoAbility);
  can('read', `type-${levelOf(index)}`);
  return build();
}

/** An ability for each role, found by its name: an index by hand, where everybody has one role. */
export const prepare = () => ({
  load: (size) => {
    const abilities = new Map(Array.from({ length: size }, (_, index) => [`role-${index}`, abilityOf(index)]));
    return ([role, type]) => abilities.get(role)?.can('read', type) === true;
  },
  formOf: ({ rule, level }) => [`role-${rule}`, `type-${level}`],
});
