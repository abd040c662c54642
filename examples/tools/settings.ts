import { isDoorwardError } from 'doorward';
import { z } from 'zod';

/** A whole number within bounds. */
export const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
/** Entries separated by commas. */
export const list = z.string().transform((text) => text.split(',').flatMap((entry) => entry.trim() || []));
/** An address or a network. */
export const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** What a setting becomes; a refusal names the setting and never shows its value. */
export const made = <T>(make: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return make(text);
    } catch (error) {
      context.addIssue(isDoorwardError(error) ? error.message : problemOf(error));
      return z.NEVER;
    }
  });

function problemOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'does not hold JSON';
  return error instanceof Error && 'syscall' in error ? 'names no file that can be read' : 'cannot be used';
}

/** What OAuth, passkeys and secure cookies ask of the address of a server. */
export function isForBrowsers(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}
