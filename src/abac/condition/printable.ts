/** Letters, digits and signs of every script that can be seen, and the space. All else could hide what a reader sees. */
const PLAIN = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** A text as it stands, in which line breaks, marks of direction and other signs that nobody sees are escapes. */
export function printable(text: string): string {
  return Array.from(text, (character) => (PLAIN.test(character) ? character : escaped(character))).join('');
}

/** Writes a text as JSON does, so that it cannot end before its closing quote; nothing in it is invisible. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text));
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
