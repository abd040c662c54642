/** What proves what, by the method's name in RFC 8176 section 2. */
const KIND: ReadonlyMap<string, 'knowledge' | 'possession' | 'inherence'> = new Map([
  ...['pwd', 'pin', 'kba'].map((method) => [method, 'knowledge'] as const),
  ...['otp', 'hwk', 'swk', 'sc', 'sms', 'tel'].map((method) => [method, 'possession'] as const),
  ...['face', 'fpt', 'iris', 'retina', 'vbm'].map((method) => [method, 'inherence'] as const),
]);

/**
 * The class of a login (`acr`), in the terms of NIST SP 800-63B: `aal2` when the methods are of two kinds
 * (something known, had, or been), or one of them was multi-factor by itself (`mfa`), else `aal1`. A method
 * that RFC 8176 does not name proves nothing more.
 */
export function acrOf(amr: readonly string[]): 'aal1' | 'aal2' {
  const kinds = new Set(amr.flatMap((method) => KIND.get(method) ?? []));
  return kinds.size > 1 || amr.includes('mfa') ? 'aal2' : 'aal1';
}
