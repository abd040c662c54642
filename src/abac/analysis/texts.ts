import { isTextLess } from '../condition/text-order.ts';

const LETTERS = [...'xyzwvutsrqponmlkjihgfedcba'];
const LAST_CODE_POINT = 0x10ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** What the texts of a request are compared with. */
export interface TextConstants {
  /** Compared for equality or order. */
  readonly points: ReadonlySet<string>;
  readonly prefixes: ReadonlySet<string>;
  readonly suffixes: ReadonlySet<string>;
  readonly isOrdered: boolean;
}

/**
 * One text for every way in which a text can stand to constants. What begins with a prefix lies between the prefix
 * and the least text behind all that begin with it, so that prefixes are points of the order; a suffix can be put
 * behind a text anywhere between two points. The longest of the suffixes that a text ends with tells the others.
 */
export function textsAround({ points, prefixes, suffixes, isOrdered }: TextConstants): readonly string[] {
  const fresh = freshLetter([...points, ...prefixes, ...suffixes]);
  const endings = [fresh, ...[...suffixes].map((suffix) => fresh + suffix)];
  if (!isOrdered && prefixes.size === 0) return [...points, ...endings];
  const ends = [...prefixes].map(behind).filter((end) => end !== undefined);
  const sorted = [...new Set(['', ...points, ...prefixes, ...ends])].sort((a, b) => (isTextLess(a, b) ? -1 : 1));
  const between = sorted.flatMap((lower, index) => textsBetween(lower, sorted[index + 1], endings));
  return [...sorted, ...between];
}

function freshLetter(texts: readonly string[]): string {
  const used = new Set(texts.flatMap((text) => [...text]));
  const letter = LETTERS.find((candidate) => !used.has(candidate));
  if (letter !== undefined) return letter;
  let code = 0x4e00;
  while (used.has(String.fromCodePoint(code))) code++;
  return String.fromCodePoint(code);
}

/**
 * Texts strictly between two. They begin with a text whose every extension lies there as well, so there is room on
 * both sides for what is chosen later; only between a text and itself with NULs behind it there is but a handful.
 */
function textsBetween(lower: string, upper: string | undefined, endings: readonly string[]): readonly string[] {
  if (upper === undefined || !upper.startsWith(lower)) return endings.map((ending) => lower + ending);
  const rest = [...upper.slice(lower.length)];
  const nuls = rest.findIndex((character) => character !== '\0');
  if (nuls === -1) return rest.slice(1).map((_, index) => lower + '\0'.repeat(index + 1));
  const stem = lower + '\0'.repeat(nuls) + smaller(rest[nuls] ?? '');
  return endings.map((ending) => stem + ending);
}

/** A character before another one, readable where that can be. */
function smaller(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return ['a', 'A', '0'].find((readable) => readable < character) ?? String.fromCodePoint(stepped(code, -1));
}

/** The least text behind all texts that begin with a prefix; there is none behind the last code point. */
function behind(prefix: string): string | undefined {
  const characters = [...prefix];
  for (;;) {
    const code = characters.pop()?.codePointAt(0);
    if (code === undefined) return undefined;
    if (code < LAST_CODE_POINT) return characters.join('') + String.fromCodePoint(stepped(code, 1));
  }
}

function stepped(code: number, step: 1 | -1): number {
  const next = code + step;
  if (next < SURROGATES.first || next > SURROGATES.last) return next;
  return step === 1 ? SURROGATES.last + 1 : SURROGATES.first - 1;
}
