import type { KeyObject } from 'node:crypto';

/** Primes modulo which every modulus of the weak generator is a power of 65537. */
const PRIMES = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];

/** Tells a modulus of the Infineon generator by its fingerprint (CVE-2017-15361, "The Return of Coppersmith's Attack"). */
export function isRocaModulus(key: KeyObject): boolean {
  const { n = '' } = key.export({ format: 'jwk' });
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
  return PRIMES.every((prime) => isPowerOf65537(Number(modulus % BigInt(prime)), prime));
}

function isPowerOf65537(residue: number, prime: number): boolean {
  const generator = 65_537 % prime;
  let power = 1;
  do {
    if (power === residue) return true;
    power = (power * generator) % prime;
  } while (power !== 1);
  return false;
}
