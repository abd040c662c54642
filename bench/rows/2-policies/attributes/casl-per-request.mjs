import { abilityOf, caslDocument } from '../casl-documents.mjs';
import { questions } from '../documents.mjs';

/** The ability is built for every request, as most servers do. */
export const prepare = () => ({
  questions: questions().map(({ person, action, document, hour }) => ({
    person,
    action,
    document: caslDocument(document, hour),
  })),
  decide: ({ person, action, document }) => abilityOf(person).can(action, document),
});
