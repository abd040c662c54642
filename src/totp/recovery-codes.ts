import { createHmac, randomBytes } from 'node:crypto';

const CODES = 10;
const CODE_BYTES = 10;
const CODE_LENGTH = 16;
/** Crockford's base32: no letter of it is mistaken for a digit. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const MOST_TYPED = 64;

/** Makes ten codes of 80 random bits each, written as `XXXX-XXXX-XXXX-XXXX`. */
export function newRecoveryCodes(): readonly string[] {
  return Array.from({ length: CODES }, () => {
    const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
    const symbols = Array.from({ length: CODE_LENGTH }, (_, i) => ALPHABET[Number((bits >> BigInt(5 * i)) & 31n)]);
    return symbols.join('').replace(/.{4}(?=.)/g, '$&-');
  });
}

/**
 * Reads a code as people type it: case, spaces and dashes do not count, and neither does taking I or L for
 * 1 and O for 0.
 *
 * @returns `undefined` for what cannot be a code.
 */
export function readRecoveryCode(typed: string): string | undefined {
  if (typed.length > MOST_TYPED || !/^[\dA-Za-z -]+$/.test(typed)) return undefined;
  const code = typed.replace(/[ -]/g, '').toUpperCase().replace(/[IL]/g, '1').replaceAll('O', '0');
  return code.length === CODE_LENGTH && !code.includes('U') ? code : undefined;
}

/** What is stored of a code: nothing that can be tried without the key, or in the row of another account. */
export function recoveryHash(key: Buffer, accountId: string, code: string): string {
  return createHmac('sha256', key)
    .update(`${code.replaceAll('-', '')} ${accountId}`)
    .digest('base64url');
}
