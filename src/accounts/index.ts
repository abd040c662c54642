export { type Accounts, createAccounts } from './accounts.ts';
export type { Adopt } from './adopt.ts';
export type { PasswordChange, PasswordVerbs } from './change-password.ts';
export {
  clientSubject,
  type FoundRefreshToken,
  type Grant,
  type GrantRotation,
  type Grants,
  type GrantToken,
  type NewGrant,
  type StartedGrant,
} from './grants/grants.ts';
export { addressKey } from './login/address-key.ts';
export type { Credentials } from './login/credentials.ts';
export type { LogIn, PasswordStep } from './login/login.ts';
export type { LoginOptions } from './login/login-options.ts';
export type { FirstStep, LoginSteps } from './login/login-steps.ts';
export type { LogInVerified, VerifiedIdentity } from './login/login-verified.ts';
export type { SecondFactor } from './login/second-factor.ts';
export type { AccountsOptions } from './options.ts';
export type { Account, AccountPatch, AccountStore, Hits, RateLimitStore } from './ports.ts';
export type { PublicAccount } from './public-account.ts';
export type { Register, Registration } from './register.ts';
export type { Remove } from './remove.ts';
export type { Refresh } from './sessions/refresh.ts';
export type { Rotate, Rotated, RotateOptions } from './sessions/rotate.ts';
export type { IssuedToken } from './sessions/session.ts';
export type { PublicSession, RevokeTokenOptions, SessionControl } from './sessions/session-control.ts';
export type {
  RefreshTokenOwner,
  RefreshTokenRecord,
  Rotation,
  RotationRequest,
  SessionRecord,
  SessionStore,
} from './sessions/session-store.ts';
export type { Login } from './sessions/start-session.ts';
export type { FindSubject } from './subject.ts';
export type { AccountChanges, Update, Updates } from './update.ts';
export { usernameKey } from './username.ts';
