import { configInvalid, refuseUnknownOptions, requireWholeNumber } from '../core/config-invalid.ts';
import { guarded } from '../core/guarded.ts';
import {
  type CallerAuthenticator,
  type ClientCertificate,
  type Clock,
  type MaybePromise,
  type Principal,
  publishAudit,
  systemClock,
} from '../core/index.ts';

/** Tells who the holder of a certificate is; `undefined` when it is nobody known here. */
export type PrincipalOf = (certificate: ClientCertificate) => MaybePromise<Principal | undefined>;

export interface CertificateAuthenticatorOptions {
  /** Who the holder of a certificate is, for example by `byName` or `bySubject`. */
  readonly principalOf: PrincipalOf;
  /** Deadline of `principalOf`, in milliseconds. @default 3000 */
  readonly timeoutMs?: number;
  /** @default systemClock */
  readonly clock?: Clock;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const OPTIONS: readonly string[] = ['principalOf', 'timeoutMs', 'clock'];

/**
 * Makes principals of client certificates, for services that call each other (mutual TLS). A caller without a
 * certificate, or with one that means nobody here, is anonymous: a browser may show any that its user has. A
 * certificate that ended while its connection went on (RFC 5280 section 4.1.2.5) is refused.
 *
 * @throws `CONFIG_INVALID` for an option that is unknown or cannot be meant. The authenticator itself throws
 * `SERVICE_UNAVAILABLE` when `principalOf` fails or is late.
 * @example
 * const billing = { id: 'service:billing', roles: ['editor'], attributes: {} };
 * const principalOf = byName({ 'URI:spiffe://example.org/billing': billing });
 * const authenticateCaller = createCertificateAuthenticator({ principalOf });
 * const gate = createGate({ authenticate: accounts.authenticate, authenticateCaller, pdp, environment });
 */
export function createCertificateAuthenticator(options: CertificateAuthenticatorOptions): CallerAuthenticator {
  const { principalOf, timeoutMs, clock } = validated(options);

  return async ({ certificate, ip, requestId }) => {
    if (certificate === undefined) return undefined;
    if (!(clock() <= certificate.notAfter)) {
      publishAudit({ type: 'certificate.rejected', reason: 'expired', ip, requestId });
      return { ok: false, reason: 'expired' };
    }
    const principal = await guarded(async () => principalOf(certificate), timeoutMs);
    // A copy, since a table answers with the same object every time and decisions are remembered by its identity.
    if (principal) return { ok: true, principal: { ...principal } };
    publishAudit({ type: 'certificate.rejected', reason: 'unknown', ip, requestId });
    return undefined;
  };
}

function validated(options: CertificateAuthenticatorOptions): Required<CertificateAuthenticatorOptions> {
  refuseUnknownOptions(options, OPTIONS);
  const { principalOf, timeoutMs = 3_000, clock = systemClock } = Object(options) as CertificateAuthenticatorOptions;
  for (const [name, value] of Object.entries({ principalOf, clock })) {
    if (typeof value !== 'function') throw configInvalid(name, 'must be a function');
  }
  requireWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS);
  return { principalOf, timeoutMs, clock };
}
