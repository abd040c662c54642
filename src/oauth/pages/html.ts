import { configInvalid } from '../../core/config-invalid.ts';
import { type Place, placeAfter } from './html-place.ts';

/** Not of this module alone, so that both copies of the package know each other's values; JSON cannot make it. */
const MARKUP: unique symbol = Symbol.for('doorward.html');

/** Markup that `html` made; its text is `String(value)`. */
export interface Html {
  toString(): string;
  readonly [MARKUP]: string;
}

/** What can be put into a template; `undefined`, `null` and `false` leave nothing. */
export type HtmlValue = string | number | Html | undefined | null | false | readonly HtmlValue[];

/** The start of an attribute that is a script or a document, in either kind of quotes. */
const ACTIVE_ATTRIBUTE = {
  double: /[\s"'/](?:on\w+|srcdoc)\s*=\s*"[^"]*$/i,
  single: /[\s"'/](?:on\w+|srcdoc)\s*=\s*'[^']*$/i,
} as const;

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
 * an `on...` or `srcdoc` attribute, in a comment, of another type.
 * @example
 * const page = html`<!doctype html><html lang="en"><title>${clientName}</title><main>${html`<h1>${clientName}</h1>`}</main></html>`;
 * const answer = { html: String(page) };
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let place: Place = { at: 'text' };
  let text = '';
  for (const [index, string] of strings.entries()) {
    place = placeAfter(string, place);
    text += string;
    if (index === values.length) break;
    text += valueAt(place, [string, strings[index + 1] ?? ''], values[index]);
  }
  if (place.at !== 'text') throw configInvalid('html', 'ends within a tag, a script or a style');
  return Object.freeze({ [MARKUP]: text, toString: () => text });
}

function valueAt({ at }: Place, [before, after]: readonly [string, string], value: HtmlValue): string {
  switch (at) {
    case 'script':
      throw configInvalid('html', 'has a value in a script');
    case 'style':
      return styleText(value, before, after);
    case 'double':
    case 'single':
      if (ACTIVE_ATTRIBUTE[at].test(before))
        throw configInvalid('html', 'has a value in an attribute that is a script');
      return escaped(value);
    case 'tag':
    case 'text':
      if (/[\w-]=$/.test(before)) throw configInvalid('html', 'has a value of an attribute without quotes');
      return at === 'tag' ? markupOnly(value) : composed(value);
  }
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

/** Character references mean nothing in a style, so what could end it is refused; it is all of the style. */
function styleText(value: HtmlValue, before: string, after: string): string {
  const isWhole = before.endsWith('>') && after.toLowerCase().startsWith('</style>');
  if (typeof value !== 'string' || value.includes('<') || !isWhole) {
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
