import { type Caller, DoorwardError } from '../core/index.ts';
import { ownProperty } from '../core/own-property.ts';
import { newPasswordProblem, passwordProblem } from '../passwords/index.ts';
import { createAddAccount } from './add-account.ts';
import { isEmail } from './email.ts';
import { refuseInput, requiredText } from './input.ts';
import { addressKey } from './login/address-key.ts';
import { admit } from './login/limiter.ts';
import type { Account } from './ports.ts';
import { type PublicAccount, toPublicAccount } from './public-account.ts';
import type { Settings } from './settings.ts';
import { usernameKey, usernameProblem } from './username.ts';

/** What a registration brings; parsed JSON may be handed in as it is. */
export interface Registration {
  readonly username: unknown;
  readonly password: unknown;
  readonly email?: unknown;
}

export type Register = (input: Registration, caller?: Caller) => Promise<PublicAccount>;

const HOUR_MS = 3_600_000;

export function createRegister(settings: Settings): Register {
  const { limits, hasher, clock, ids, defaultRoles, registerMaxPerHour, passwordRules } = settings;
  const addAccount = createAddAccount(settings);

  async function register(input: Registration, caller: Caller = {}): Promise<PublicAccount> {
    const { username, password, email } = readRegistration(input, settings);
    const admission = await admit(limits, limitsOf(caller), clock);
    const orRelease = async (error: unknown): Promise<never> => {
      await admission.release();
      throw error;
    };
    // Counted by then: what `check` asks of others is not to be had without limit.
    const problem = await newPasswordProblem(password, { ...passwordRules, username }).catch(orRelease);
    if (problem !== undefined) refuseInput('password', problem);
    const passwordHash = await hasher.hash(password).catch(orRelease);
    const account: Account = {
      id: ids(),
      username,
      usernameKey: usernameKey(username),
      ...(email !== undefined && { email }),
      passwordHash,
      roles: defaultRoles,
      disabled: false,
      createdAt: clock(),
    };
    if (!(await addAccount(account, caller))) throw new DoorwardError('ACCOUNT_EXISTS');
    return toPublicAccount(account);
  }

  function limitsOf({ ip }: Caller) {
    if (ip === undefined) return [];
    return [{ key: `register:address:${addressKey(ip)}`, max: registerMaxPerHour, windowMs: HOUR_MS }];
  }

  return register;
}

function readRegistration(input: Registration, { passwordRules, emailRequired }: Settings) {
  const username = requiredText(input, 'username');
  const password = requiredText(input, 'password');
  const nameProblem = usernameProblem(username);
  if (nameProblem !== undefined) refuseInput('username', nameProblem);
  const email = readEmail(ownProperty(input, 'email'), emailRequired);
  const problem = passwordProblem(password, { ...passwordRules, username });
  if (problem !== undefined) refuseInput('password', problem);
  return { username, password, email };
}

function readEmail(email: unknown, required: boolean): string | undefined {
  if (email === undefined && !required) return undefined;
  if (typeof email !== 'string') return refuseInput('email', 'must be a string');
  return isEmail(email) ? email : refuseInput('email', 'is not an e-mail address');
}
