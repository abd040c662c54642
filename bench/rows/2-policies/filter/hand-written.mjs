/** The limit: the policy by hand, what does not depend on the document worked out before the loop. */
export function prepare() {
  const filter = (documents, { person, action, hour }) => {
    if (person.role === 'admin') return documents.slice();
    const { id, department } = person;
    const isOffice = hour >= 9 && hour <= 18;
    const isRead = action === 'read';
    return documents.filter(
      (document) =>
        document.owner_id === id ||
        (document.department === department && (isRead || (isOffice && document.sensitivity === 'high'))),
    );
  };
  return { prepareDocuments: (documents) => documents, filter };
}
