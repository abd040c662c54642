/** One name: its kind, its plain text, or its text as a JSON string where that holds a comma, a quote or the like. */
const NAME = /([A-Za-z ]+):([^",]*)("(?:[^"\\]|\\.)*")?(?:, |$)/y;
const KINDS: ReadonlySet<string> = new Set(['DNS', 'URI', 'email', 'IP Address', 'DirName', 'Registered ID']);

/**
 * Takes apart the text that Node makes of the subject alternative names (RFC 5280 section 4.2.1.6). A name may hold
 * what looks like another one (CVE-2021-44532); Node quotes those, and a quoted name stays one name. Names of other
 * kinds are left out.
 *
 * @returns no names at all when any part of the text is not as expected.
 */
export function readAltNames(text: string | undefined): readonly string[] {
  const names: string[] = [];
  for (let index = 0; text !== undefined && index < text.length; index = NAME.lastIndex) {
    NAME.lastIndex = index;
    const [, kind = '', plain = '', quoted] = NAME.exec(text) ?? [];
    const value = quoted === undefined ? plain : unquoted(quoted);
    if (kind === '' || value === undefined) return [];
    const isPlainOrQuoted = plain === '' || quoted === undefined;
    if (KINDS.has(kind) && isPlainOrQuoted) names.push(`${kind}:${value}`);
  }
  return names;
}

function unquoted(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
