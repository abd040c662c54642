/**
 * Decodes base64url without padding (RFC 7515 section 2). `undefined` for any other character and for
 * bits that are left over, so that each sequence of bytes has exactly one spelling.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
