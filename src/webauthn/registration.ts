import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject } from '@simplewebauthn/server/helpers';
import { ownProperty } from '../core/own-property.ts';
import { checkClientData } from './client-data-problem.ts';
import { type ClientResponse, readClientResponse } from './client-response.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { Settings } from './settings.ts';

/** COSE algorithms, the preferred one first: ES256 and RS256 (RFC 8812 section 2). */
export const ALGORITHMS: readonly number[] = [-7, -257];
/** How many passkeys an account may have: every one of them is part of each challenge. */
export const MAX_PASSKEYS = 20;

/** An RSA key of 4,096 bits has 527 bytes; larger ones take long to check signatures with. */
const MAX_KEY_BYTES = 1_024;

/**
 * Checks the response to a registration and adds the credential to the store.
 *
 * @returns the record, or the reason why the response is not good.
 */
export async function registerCredential(
  settings: Settings,
  accountId: string,
  credential: unknown,
  label: string,
): Promise<PasskeyRecord | string> {
  const response = readClientResponse(credential, ['attestationObject']);
  if (response === undefined) return 'malformed';
  const now = settings.clock();
  const challenge = checkClientData(settings, { purpose: 'register', accountId, now }, response.clientData);
  if (typeof challenge === 'string') return challenge;
  if (!isAcceptableAttestation(response.members.attestationObject)) return 'attestation';
  const made = await verified(settings, response);
  if (made === undefined) return 'not_verified';
  if (!(await settings.once.once(challenge.onceKey, challenge.expiresAt, now))) return 'replayed';
  if ((await settings.store.list(accountId)).length >= MAX_PASSKEYS) return 'too_many_passkeys';
  const passkey = { ...made, accountId, transports: transportsOf(response.response), label, createdAt: now };
  if (!(await settings.store.add(passkey))) return 'credential_taken';
  // Whoever finds too many passkeys beside its own takes its own back: no number of parallel calls leaves more.
  if ((await settings.store.list(accountId)).length <= MAX_PASSKEYS) return passkey;
  await settings.store.remove(accountId, passkey.id);
  return 'too_many_passkeys';
}

type Made = Pick<PasskeyRecord, 'id' | 'publicKey' | 'counter' | 'backedUp' | 'userVerified'>;

async function verified(
  settings: Settings,
  { id, members, clientData }: ClientResponse<'attestationObject'>,
): Promise<Made | undefined> {
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: members },
      expectedChallenge: clientData.challenge,
      expectedOrigin: [...settings.origins],
      expectedRPID: settings.rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (registrationInfo === undefined) return undefined;
    const made = registrationInfo.credential;
    if (made.id !== id || made.publicKey.length > MAX_KEY_BYTES) return undefined;
    const publicKey = Buffer.from(made.publicKey).toString('base64url');
    const { credentialDeviceType, userVerified } = registrationInfo;
    return { id, publicKey, counter: made.counter, backedUp: credentialDeviceType === 'multiDevice', userVerified };
  } catch {
    return undefined;
  }
}

/**
 * We ask for no attestation, so browsers send none, or what a credential says of itself. Statements with
 * certificates are not looked at: checking them would call addresses that are written in them.
 */
function isAcceptableAttestation(attestationObject: string): boolean {
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    const format: string = attestation.get('fmt');
    return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}

/** What a browser knows about the ways to reach an authenticator; only a hint. */
function transportsOf(response: unknown): readonly string[] {
  const transports = ownProperty(response, 'transports');
  if (!Array.isArray(transports)) return [];
  return transports
    .slice(0, 8)
    .filter((transport): transport is string => typeof transport === 'string' && /^[a-z-]{1,16}$/.test(transport));
}
