import { ASYMMETRIC_ALGORITHMS } from '../core/asymmetric-algorithms.ts';

/** How an access token is presented: alone (RFC 6750), or beside a proof of possession (RFC 9449 section 7.1). */
export type TokenScheme = 'Bearer' | 'DPoP';

/**
 * Writes the challenge of a scheme. A parameter that is absent, or that no header can hold, is left out.
 */
export function challenge(scheme: TokenScheme, parameters: Readonly<Record<string, string | undefined>>): string {
  const named = scheme === 'DPoP' ? { ...parameters, algs: ASYMMETRIC_ALGORITHMS.join(' ') } : parameters;
  const texts: string[] = [];
  for (const [name, value] of Object.entries(named)) {
    if (typeof value === 'string' && /^[\x20-\x7e]+$/.test(value)) texts.push(`${name}=${quoted(value)}`);
  }
  return texts.length === 0 ? scheme : `${scheme} ${texts.join(', ')}`;
}

/** A quoted string (RFC 9110 section 5.6.4). */
function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
