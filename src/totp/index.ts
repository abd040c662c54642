export { createTotp } from './create-totp.ts';
export type { TotpOptions } from './settings.ts';
export type { Totp, TotpEnrolment, TotpStatus } from './totp.ts';
export type { TotpRecord, TotpStore } from './totp-store.ts';
