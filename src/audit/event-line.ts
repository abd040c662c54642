import type { EventRecord } from '../core/event-record.ts';

/**
 * What JSON leaves as it is and a terminal or a log viewer obeys: DEL and the C1 controls (CSI among them), line and
 * paragraph separators, marks that turn the direction of a text, byte order marks, tags.
 */
const UNSAFE = /[\x7F-\x9F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Writes an event as one line of JSON in printable characters, with its line feed. */
export function eventLine(time: number, record: EventRecord): string {
  return `${JSON.stringify({ time: new Date(time).toISOString(), ...record }).replaceAll(UNSAFE, escaped)}\n`;
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index))).join('');
}

function hex(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
