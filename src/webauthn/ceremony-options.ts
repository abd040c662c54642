/** Names a credential to the browser (Web Authentication Level 3 section 5.8.3). */
export interface CredentialDescriptor {
  readonly id: string;
  readonly type: 'public-key';
  readonly transports?: readonly string[];
}

/** `PublicKeyCredentialCreationOptionsJSON` of Web Authentication Level 3 section 5.4. */
export interface CreationOptions {
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly challenge: string;
  readonly pubKeyCredParams: readonly { readonly alg: number; readonly type: 'public-key' }[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly excludeCredentials: readonly CredentialDescriptor[];
  readonly authenticatorSelection: { readonly residentKey: 'preferred'; readonly userVerification: 'preferred' };
  readonly attestation: 'none';
}

/** `PublicKeyCredentialRequestOptionsJSON` of Web Authentication Level 3 section 5.5. */
export interface RequestOptions {
  readonly rpId: string;
  readonly challenge: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Empty when the browser offers its user whatever passkey there is. */
  readonly allowCredentials: readonly CredentialDescriptor[];
  readonly userVerification: 'required' | 'preferred';
}
