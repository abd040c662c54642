import { abilityOf, caslDocument } from '../casl-documents.mjs';
import { people, questions } from '../documents.mjs';

/** Everybody's ability is built once and then found by the id of the person. */
export function prepare() {
  const abilities = new Map(people.map((person) => [person.id, abilityOf(person)]));
  return {
    questions: questions().map(({ person, action, document, hour }) => ({
      id: person.id,
      action,
      document: caslDocument(document, hour),
    })),
    decide: ({ id, action, document }) => abilities.get(id).can(action, document),
  };
}
