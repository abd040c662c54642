/**
 * Tells whether no object in a parsed JSON text was written with the same name twice, at any depth: a policy and
 * a mapper of its answers must not read different members (RFC 8259 section 4).
 */
export function hasUniqueNames(text: string, parsed: unknown): boolean {
  const withoutTexts = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');
  return withoutTexts.split(':').length - 1 === countMembers(parsed);
}

/** Without recursion, since an answer may be nested deeper than the stack. */
function countMembers(parsed: unknown): number {
  let members = 0;
  const left = [parsed];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside: readonly unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += inside.length;
    for (const item of inside) left.push(item);
  }
  return members;
}
