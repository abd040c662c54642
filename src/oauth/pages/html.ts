import { configInvalid } from '../../core/config-invalid.ts';

/** Not of this module alone, so that both copies of the package know each other's values; JSON cannot make it. */
const MARKUP: unique symbol = Symbol.for('doorward.html');

/** Markup that `html` made; its text is `String(value)`. */
export interface Html {
  toString(): string;
  readonly [MARKUP]: string;
}

/** What can be put into a template; `undefined`, `null` and `false` leave nothing. */
export type HtmlValue = string | number | Html | undefined | null | false | readonly HtmlValue[];

type Place = 'text' | 'tag' | 'double' | 'single';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Makes markup out of a template: what is put in is escaped, unless it came from `html` itself. In text go
 * texts, numbers, markup and lists of them; in an attribute's quotes only texts and numbers; elsewhere in a tag
 * only markup. A `<style>` gets its text as it is, since nothing is escaped there. The kind of an address is not
 * looked at: put none of a stranger's into `href`.
 *
 * @throws `CONFIG_INVALID` for a value where it would be markup or a script: outside of quotes, in a `<script>`, in
 * a comment, of another type.
 * @example
 * const page = html`<!doctype html><html lang="en"><title>${clientName}</title><main>${html`<h1>${clientName}</h1>`}</main></html>`;
 * const answer = { html: String(page) };
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let place: Place = 'text';
  let text = '';
  for (const [index, string] of strings.entries()) {
    place = placeAfter(string, place);
    text += string;
    if (index === values.length) break;
    const isStyle = place === 'text' && /<style\b[^<>]*>$/i.test(string);
    const value = values[index];
    text += isStyle ? styleText(value, strings[index + 1]) : escapedAt(place, string, value);
  }
  if (place !== 'text') throw configInvalid('html', 'ends within a tag');
  return Object.freeze({ [MARKUP]: text, toString: () => text });
}

/** Follows the tags and the quotes of the fixed parts; the values cannot change them. */
function placeAfter(string: string, before: Place): Place {
  const markup = string.replace(/<!--[\s\S]*?-->/g, '');
  if (/<!--/.test(markup)) throw configInvalid('html', 'has a value in a comment');
  let place = before;
  for (let index = 0; index < markup.length; index += 1) {
    const char = markup[index];
    if (place === 'text') {
      if (char === '<' && /[a-z/!]/i.test(markup[index + 1] ?? 'a')) place = 'tag';
    } else if (place === 'tag') {
      if (char === '"') place = 'double';
      else if (char === "'") place = 'single';
      else if (char === '>') place = 'text';
    } else if (char === (place === 'double' ? '"' : "'")) {
      place = 'tag';
    }
  }
  return place;
}

function escapedAt(place: Place, before: string, value: HtmlValue): string {
  if (/<script\b[^>]*>[^<]*$/i.test(before)) throw configInvalid('html', 'has a value in a script');
  if (/<style\b[^>]*>[^<]*$/i.test(before)) throw configInvalid('html', 'has more than one value in a style');
  if (place === 'double' || place === 'single') return escaped(value);
  if (/[\w-]=$/.test(before)) throw configInvalid('html', 'has a value of an attribute without quotes');
  return place === 'tag' ? markupOnly(value) : composed(value);
}

function composed(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(composed).join('');
  return markupOf(value) ?? escaped(value);
}

function markupOnly(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  const markup = markupOf(value);
  if (markup === undefined) throw configInvalid('html', 'has a value in a tag, outside of quotes');
  return markup;
}

function escaped(value: HtmlValue): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw configInvalid('html', 'has a value that is no text where only text can be');
  }
  return String(value).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}

/** Character references mean nothing in a style, so what could end it is refused. */
function styleText(value: HtmlValue, after: string | undefined): string {
  if (typeof value !== 'string' || value.includes('<') || !after?.toLowerCase().startsWith('</style>')) {
    throw configInvalid('html', 'has a style that is not one text without `<`');
  }
  return value;
}

/** The own brand only: a prototype that somebody polluted brands nothing. */
function markupOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MARKUP)) return undefined;
  const markup = (value as Readonly<Record<symbol, unknown>>)[MARKUP];
  return typeof markup === 'string' ? markup : undefined;
}
