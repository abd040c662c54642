import { subject } from '@casl/ability';
import { abilityOf } from '../casl-documents.mjs';
import { people } from '../documents.mjs';

/** Everybody's ability is built once. CASL reads the hour from the document, so it is put there. */
export function prepare() {
  const abilities = new Map(people.map((person) => [person.id, abilityOf(person)]));
  const filter = (documents, { person, action, hour }) => {
    const ability = abilities.get(person.id);
    return documents.filter((document) => {
      document.hour = hour;
      return ability.can(action, document);
    });
  };
  return {
    prepareDocuments: (documents) => documents.map((each) => subject('document', { ...each, hour: 0 })),
    filter,
  };
}
