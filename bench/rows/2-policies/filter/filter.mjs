import { measureCost } from '../../../cost.mjs';
import { documentsOf, isAllowed, people } from '../documents.mjs';

const ACTION = 'read';

/** Everybody at two hours, one within the office hours and one outside. */
const askers = people.flatMap((person) => [10, 22].map((hour) => ({ person, action: ACTION, hour })));

/** Every contestant has the documents in its own form, and a `filter` that returns those an asker may read. */
export async function answers({ prepareDocuments, filter }, input) {
  const documents = documentsOf(input.documents);
  const own = prepareDocuments(documents);
  let kept = 0;
  for (const asker of askers) {
    const found = new Set(filter(own, asker));
    const wrong = documents.findIndex((document, index) => isAllowed({ ...asker, document }) !== found.has(own[index]));
    if (wrong !== -1) throw new Error(`keeps or drops document ${wrong} wrongly for ${asker.person.id}`);
    kept += found.size;
  }
  return { kept };
}

export function measure({ prepareDocuments, filter }, timing, input) {
  const own = prepareDocuments(documentsOf(input.documents));
  let next = 0;
  return measureCost(() => filter(own, askers[next++ % askers.length]), timing);
}
