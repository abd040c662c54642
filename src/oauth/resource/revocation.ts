import { refuseUnknownOptions } from '../../core/config-invalid.ts';
import type { Caller } from '../../core/index.ts';
import { bodyLimits, type Handler } from '../../http/index.ts';
import { readText } from '../../tokens/options.ts';
import { answering, NO_STORE } from '../answers.ts';
import { OAuthError } from '../oauth-error.ts';
import type { AuthenticateClient } from '../parts.ts';
import { readParameters } from '../read-form.ts';
import type { Settings } from '../settings.ts';
import { createReadAccessToken } from './read-access-token.ts';

export interface RevokeOptions {
  /** Whose token it must be; without it any token of this server is revoked. */
  readonly clientId?: string;
  /** Where the call comes from, for the events. */
  readonly caller?: Caller;
}

/**
 * Revokes a token (RFC 7009 section 2.1): a refresh token with its whole session and all tokens of it, an access
 * token alone. The tokens of a disabled account are revoked as well: it may be enabled again.
 *
 * @returns whether there was one to revoke.
 * @throws `SERVICE_UNAVAILABLE`, and `CONFIG_INVALID` for an option that is unknown, or there and no text
 */
export type Revoke = (token: unknown, options?: RevokeOptions) => Promise<boolean>;

interface Parts {
  readonly authenticateClient: AuthenticateClient;
}

/** Makes revocation, in process and as an endpoint: one code for both. */
export function createRevocation(
  settings: Settings,
  { authenticateClient }: Parts,
): { readonly revoke: Revoke; readonly endpoint: Handler } {
  const { accounts, onError } = settings;
  const { grants } = accounts;
  const readAccessToken = createReadAccessToken(settings);

  const revoke: Revoke = async (token, options = {}) => {
    refuseUnknownOptions(options, ['clientId', 'caller']);
    const clientId = readText(options, 'clientId');
    const { caller } = options;
    const read = readAccessToken(token);
    if (read.ok) {
      const { claims, client, sessionId, tokenId } = read;
      if (clientId !== undefined && client.id !== clientId) return false;
      return grants.revokeToken({ id: tokenId, sessionId, clientId: client.id, expiresAt: claims.exp }, caller);
    }
    // A refresh token that was used already ends its session as well: whoever has it wants that gone.
    const session = (await grants.findByRefreshToken(token))?.session;
    if (session?.clientId === undefined) return false;
    if (clientId !== undefined && session.clientId !== clientId) return false;
    return grants.end(session, 'revoked', caller);
  };

  return {
    revoke,
    endpoint: (request, info) =>
      answering(info, onError, async () => {
        const form = await readParameters(request, bodyLimits.auth);
        const client = await authenticateClient(request, form, info);
        const token = form.get('token');
        if (token === undefined) throw new OAuthError('invalid_request', { problem: 'token is missing' });
        await revoke(token, { clientId: client.id, caller: info });
        // Nothing tells a token that was revoked from one that was unknown, or is another client's.
        return new Response(null, { status: 200, headers: { ...NO_STORE, 'content-length': '0' } });
      }),
  };
}
