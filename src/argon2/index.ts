export { type Argon2HasherOptions, createArgon2Hasher } from './argon2-hasher.ts';
