export { type Accounts, createAccounts } from './accounts.ts';
export { addressKey } from './address-key.ts';
export type { Adopt } from './adopt.ts';
export type { PasswordChange, PasswordVerbs } from './change-password.ts';
export type { Credentials } from './credentials.ts';
export {
  clientSubject,
  type FoundRefreshToken,
  type Grant,
  type GrantRotation,
  type Grants,
  type GrantToken,
  type NewGrant,
  type StartedGrant,
} from './grants.ts';
export type { LogIn, PasswordStep } from './login.ts';
export type { LoginOptions } from './login-options.ts';
export type { FirstStep, LoginSteps } from './login-steps.ts';
export type { LogInVerified, VerifiedIdentity } from './login-verified.ts';
export type { AccountsOptions } from './options.ts';
export type { Account, AccountPatch, AccountStore, Hits, RateLimitStore } from './ports.ts';
export type { PublicAccount } from './public-account.ts';
export type { Refresh } from './refresh.ts';
export type { Register, Registration } from './register.ts';
export type { Remove } from './remove.ts';
export type { Rotate, Rotated, RotateOptions } from './rotate.ts';
export type { SecondFactor } from './second-factor.ts';
export type { IssuedToken } from './session.ts';
export type { PublicSession, RevokeTokenOptions, SessionControl } from './session-control.ts';
export type {
  RefreshTokenOwner,
  RefreshTokenRecord,
  Rotation,
  RotationRequest,
  SessionRecord,
  SessionStore,
} from './session-store.ts';
export type { Login } from './start-session.ts';
export type { FindSubject } from './subject.ts';
export type { AccountChanges, Update, Updates } from './update.ts';
export { usernameKey } from './username.ts';
