import { AbilityBuilder, createMongoAbility } from '@casl/ability';
import { people, questions, table } from './table.mjs';

function abilityOf({ roles }) {
  const { can, build } = new AbilityBuilder(createMongoAbility);
  for (const role of roles) can(table[role], 'post');
  return build();
}

/** Everybody's ability is built once and then found by the id of the person. */
export function prepare() {
  const abilities = new Map(people.map((person) => [person.id, abilityOf(person)]));
  return {
    questions: questions(),
    decide: ({ person, action }) => abilities.get(person.id).can(action, 'post'),
  };
}
