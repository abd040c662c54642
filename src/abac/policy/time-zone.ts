const NAME = /^(?:UTC|GMT|(?!SystemV\/)[A-Z]\w*(?:\/[A-Z][\w+-]*)+)$/;

/**
 * Tells whether a text is the IANA name of a time zone, written as the database writes it. `Intl` is more
 * lenient than what else reads policies: it takes offsets such as `+01:00`, names in any case, and abbreviations in a
 * meaning of its own, of which `BST` is the time of Dhaka and not of London.
 */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
