import { type Caller, publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import type { Settings } from '../settings.ts';
import type { ConsentRecord } from './consent-store.ts';

/** A consent as its owner sees it. */
export interface PublicConsent {
  readonly clientId: string;
  /** The client's name; its id when it is registered no longer. */
  readonly clientName: string;
  readonly clientUri?: string;
  /** What the client may do, each scope with what the consent page says of it. */
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
  /** ISO 8601: when something was last added. */
  readonly grantedAt: string;
}

/** What people have consented to, and how they take it back. */
export interface ConsentControl {
  /** @returns what an account has consented to, by client id. @throws `SERVICE_UNAVAILABLE` */
  list(accountId: string): Promise<readonly PublicConsent[]>;
  /**
   * Forgets the consent and ends everything that the client has of the account: no access or refresh token of it is
   * good any more. When it throws it may be called again.
   *
   * @returns whether there was anything to take back.
   * @throws `SERVICE_UNAVAILABLE`
   */
  revoke(accountId: string, clientId: string, caller?: Caller): Promise<boolean>;
  /** The same for all clients, those that need no consent too: call it when an account is removed. @throws `SERVICE_UNAVAILABLE` */
  revokeAll(accountId: string, caller?: Caller): Promise<void>;
}

/** Makes what shows people their consents, over the stores of the server. */
export function createConsentControl({
  consents,
  clients,
  scopes: descriptions,
  accounts,
}: Pick<Settings, 'consents' | 'clients' | 'scopes' | 'accounts'>): ConsentControl {
  function toPublic({ clientId, scopes, grantedAt }: ConsentRecord): PublicConsent {
    const client = clients.find(clientId)?.client;
    return {
      clientId,
      clientName: client?.name ?? clientId,
      ...(client?.uri !== undefined && { clientUri: client.uri }),
      scopes: scopes.map((name) => ({ name, description: descriptionOf(name, descriptions) })),
      grantedAt: new Date(grantedAt).toISOString(),
    };
  }

  // The consent goes first: a session that is just starting either finds it gone or is found here.
  async function revoke(accountId: string, clientId: string, caller: Caller = {}): Promise<boolean> {
    const isForgotten = await consents.revoke(accountId, clientId);
    if (isForgotten) publishAudit({ type: 'consent.revoked', accountId, clientId, ...originOf(caller) });
    const ended = await accounts.grants.endOfClient(accountId, clientId, 'consent_revoked', caller);
    return isForgotten || ended > 0;
  }

  return Object.freeze({
    list: async (accountId: string) => (await consents.list(accountId)).map(toPublic),
    revoke,
    async revokeAll(accountId: string, caller: Caller = {}) {
      const forgotten = await consents.list(accountId);
      await consents.revokeAll(accountId);
      for (const { clientId } of forgotten) {
        publishAudit({ type: 'consent.revoked', accountId, clientId, ...originOf(caller) });
      }
      await accounts.grants.endAll(accountId, 'consent_revoked', caller);
    },
  });
}

/** A scope that was taken out of the settings stands for itself. */
function descriptionOf(name: string, descriptions: Settings['scopes']): string {
  return Object.hasOwn(descriptions, name) ? (descriptions[name] ?? name) : name;
}
