const NAME = /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/;

/**
 * Tells whether a text is the IANA name of a time zone, written as the database writes it. `Intl` is more
 * lenient than what else reads policies: it takes offsets such as `+01:00`, and names in any case.
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
