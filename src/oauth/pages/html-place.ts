import { configInvalid } from '../../core/config-invalid.ts';

/** The elements whose contents are read without entities. */
type RawElement = 'script' | 'style';

/** Where in a template a value stands. */
export interface Place {
  /** In text, in a tag outside of quotes, in double or single quotes of a tag, or in such an element. */
  readonly at: 'text' | 'tag' | 'double' | 'single' | RawElement;
  /** Of a tag: what it is the start of. */
  readonly starts?: RawElement | undefined;
}

/** As far as it takes to see `</script`. */
const LOOKAHEAD = 8;

/** Follows the tags and the quotes of the fixed parts of a template; the values cannot change them. */
export function placeAfter(fixed: string, before: Place): Place {
  const markup = fixed.replace(/<!--[\s\S]*?-->/g, '');
  if (/<!--/.test(markup)) throw configInvalid('html', 'has a value in a comment');
  let place = before;
  for (let index = 0; index < markup.length; index += 1) {
    place = nextPlace(place, markup.slice(index, index + LOOKAHEAD));
  }
  return place;
}

/** @param ahead - the next character, and those after it */
function nextPlace(place: Place, ahead: string): Place {
  const { at, starts } = place;
  const char = ahead[0];
  switch (at) {
    case 'text':
      return char === '<' && /[a-z/!]/i.test(ahead[1] ?? 'a') ? { at: 'tag', starts: rawElement(ahead) } : place;
    case 'tag':
      if (char === '"') return { at: 'double', starts };
      if (char === "'") return { at: 'single', starts };
      return char === '>' ? { at: starts ?? 'text' } : place;
    case 'double':
      return char === '"' ? { at: 'tag', starts } : place;
    case 'single':
      return char === "'" ? { at: 'tag', starts } : place;
    case 'script':
    case 'style':
      return ahead.toLowerCase().startsWith(`</${at}`) ? { at: 'tag' } : place;
  }
}

function rawElement(tag: string): RawElement | undefined {
  const name = /^<(script|style)\b/i.exec(tag)?.[1]?.toLowerCase();
  return name === 'script' || name === 'style' ? name : undefined;
}
