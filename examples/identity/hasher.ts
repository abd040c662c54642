import { createArgon2Hasher } from 'doorward/argon2';
import { combineHashers, createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import type { Config } from '../server/config.ts';

/** The configured hasher makes the hashes; those of the other one go on being verified, and are replaced at login. */
export function hasherOf({ PASSWORD_HASH, PASSWORD_PEPPER: secret }: Config): PasswordHasher {
  const options = secret === undefined ? {} : { peppers: [{ id: 'p1', secret }] };
  const bcrypt = createBcryptHasher(options);
  const argon2 = createArgon2Hasher(options);
  return PASSWORD_HASH === 'bcrypt' ? combineHashers(bcrypt, argon2) : combineHashers(argon2, bcrypt);
}
