import { isUtf8 } from 'node:buffer';

/** What an `Authorization` header says about a client. */
export type BasicCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'repeated' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'credentials'; readonly id: string; readonly secret: string };

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Reads the credentials of a client from an `Authorization` header (RFC 6749 section 2.3.1): id and secret are
 * form-encoded first. Many programs leave that out, so what is no valid encoding is taken as it stands; there is no
 * second try with a text that could be decoded.
 */
export function readBasic(header: string | null): BasicCredentials {
  if (header === null) return { kind: 'none' };
  // Repeated fields arrive joined by a comma, which no credentials contain (RFC 9110 section 5.3).
  if (header.includes(',')) return { kind: 'repeated' };
  const text = decodeBase64(BASIC.exec(header)?.[1]);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1) return { kind: 'invalid' };
  return { kind: 'credentials', id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
}

/** Takes only the one canonical spelling, and only UTF-8. */
function decodeBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text && isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

/** RFC 6749 appendix B. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
