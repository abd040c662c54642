import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { ownProperty } from '../core/own-property.ts';
import { checkClientData } from './client-data-problem.ts';
import { type ClientResponse, readClientResponse } from './client-response.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { Settings } from './settings.ts';
import { userHandle } from './user-handle.ts';

/** What became of an assertion: who proved what, or why not. The account is known only where the reason says so. */
export type Assertion =
  | { readonly ok: true; readonly passkey: PasskeyRecord; readonly userVerified: boolean }
  | { readonly ok: false; readonly reason: string; readonly accountId?: string };

/**
 * Checks the response to an authentication (Web Authentication Level 3 section 7.2) and uses its challenge up.
 *
 * @param accountId - whose passkey it must be; without one, the passkey is the only proof and tells the account
 */
export async function checkAssertion(settings: Settings, credential: unknown, accountId?: string): Promise<Assertion> {
  const response = readClientResponse(credential, ['authenticatorData', 'signature']);
  if (response === undefined) return { ok: false, reason: 'malformed' };
  const now = settings.clock();
  const purpose = accountId === undefined ? 'login' : 'factor';
  const challenge = checkClientData(settings, { purpose, accountId: accountId ?? '', now }, response.clientData);
  if (typeof challenge === 'string') return { ok: false, reason: challenge };
  const passkey = await settings.store.find(response.id);
  if (passkey === undefined) return { ok: false, reason: 'unknown_credential' };
  const refuse = (reason: string): Assertion => ({ ok: false, reason, accountId: accountId ?? passkey.accountId });
  if (accountId !== undefined && passkey.accountId !== accountId) return refuse('other_account');
  if (!isHandleOf(passkey, response.response, accountId === undefined)) return refuse('user_handle');
  const proof = await verified(settings, passkey, response);
  if (proof === undefined) return refuse('not_verified');
  const userVerified = proof.userVerified && passkey.userVerified;
  if (accountId === undefined && !userVerified) return refuse('user_verification');
  // Whether a credential may be copied never changes (section 6.1.3); what it stands for depends on it.
  if (proof.backedUp !== passkey.backedUp) return refuse('backup_eligibility');
  // Only who holds the key gets as far as here, so nobody else can fill the store of used challenges.
  if (!(await settings.once.once(challenge.onceKey, challenge.expiresAt, now))) return refuse('replayed');
  if (!(await hasCountedOn(settings, passkey, proof.counter))) return refuse('counter');
  return { ok: true, passkey, userVerified };
}

/** An authenticator that finds the account by itself must say which; one that was asked for it may. */
function isHandleOf(passkey: PasskeyRecord, response: unknown, required: boolean): boolean {
  const handle = ownProperty(response, 'userHandle') ?? undefined;
  return handle === undefined ? !required : handle === userHandle(passkey.accountId);
}

interface Proof {
  readonly counter: number;
  readonly userVerified: boolean;
  readonly backedUp: boolean;
}

/** The library is asked for the signature and the relying party; counter and user verification are judged once it is known who said so. */
async function verified(
  settings: Settings,
  passkey: PasskeyRecord,
  { id, members, clientData }: ClientResponse<'authenticatorData' | 'signature'>,
): Promise<Proof | undefined> {
  try {
    const { verified: isVerified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: members },
      expectedChallenge: clientData.challenge,
      expectedOrigin: [...settings.origins],
      expectedRPID: settings.rpId,
      credential: { id, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')), counter: 0 },
      requireUserVerification: false,
    });
    if (isVerified !== true) return undefined;
    const { newCounter, userVerified, credentialDeviceType } = authenticationInfo;
    return { counter: newCounter, userVerified, backedUp: credentialDeviceType === 'multiDevice' };
  } catch {
    return undefined;
  }
}

/** A counter that does not go up is one of two copies (section 6.1.1). Those that stay at 0 do not count. */
async function hasCountedOn({ store }: Settings, { id, counter }: PasskeyRecord, reported: number): Promise<boolean> {
  if (reported === 0 && counter === 0) return true;
  return reported > counter && (await store.count(id, counter, reported));
}
