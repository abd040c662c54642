export { type BcryptHasherOptions, createBcryptHasher } from './bcrypt-hasher.ts';
export { combineHashers } from './combine-hashers.ts';
export { commonPasswords } from './common-passwords.ts';
export type { PasswordHasher, PasswordVerdict } from './hasher.ts';
export { newPasswordProblem } from './new-password-problem.ts';
export { type PasswordCheck, type PasswordRules, passwordProblem } from './password-problem.ts';
export type { Pepper } from './pepper.ts';
