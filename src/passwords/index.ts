export { type BcryptHasherOptions, createBcryptHasher } from './bcrypt-hasher.ts';
export { commonPasswords } from './common-passwords.ts';
export type { PasswordHasher, PasswordVerdict } from './hasher.ts';
export { type PasswordRules, passwordProblem } from './password-problem.ts';
