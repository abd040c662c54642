import { admit } from '../../accounts/login/limiter.ts';
import { refuseUnknownOptions } from '../../core/config-invalid.ts';
import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { bodyLimits, type Handler, type RequestInfo } from '../../http/index.ts';
import { readText } from '../../tokens/options.ts';
import { answer, answering } from '../answers.ts';
import type { Client } from '../clients/client-metadata.ts';
import { OAuthError } from '../oauth-error.ts';
import type { AuthenticateClient, FindAccessToken } from '../parts.ts';
import { readParameters } from '../read-form.ts';
import type { Settings } from '../settings.ts';
import { describeAccessToken, describeRefreshToken, INACTIVE, type Introspection } from './describe-token.ts';
import { audienceOf } from './find-access-token.ts';

export interface IntrospectOptions {
  /** Who asks; it then learns of no more tokens than over HTTP. Without it every token of this server is told of. */
  readonly clientId?: string;
}

/**
 * Tells what a token is worth now (RFC 7662 section 2.2): an access token or a refresh token of this server, or that
 * it is not active, whatever the reason.
 *
 * @throws `SERVICE_UNAVAILABLE`, and `CONFIG_INVALID` for an option that is unknown, or there and no text
 */
export type Introspect = (token: unknown, options?: IntrospectOptions) => Promise<Introspection>;

interface Parts {
  readonly authenticateClient: AuthenticateClient;
  readonly findAccessToken: FindAccessToken;
}

const MINUTE = 60_000;

/** Makes introspection, in process and as an endpoint: one code for both. */
export function createIntrospection(
  settings: Settings,
  { authenticateClient, findAccessToken }: Parts,
): { readonly introspect: Introspect; readonly endpoint: Handler } {
  const { accounts, clients, limits, clock, introspectionsPerMinute, onError } = settings;

  const introspect: Introspect = async (token, options = {}) => {
    refuseUnknownOptions(options, ['clientId']);
    const clientId = readText(options, 'clientId');
    const client = clients.find(clientId)?.client;
    if (clientId !== undefined && client === undefined) return INACTIVE;
    const found = await findAccessToken(token);
    if (found.ok) {
      const serves = client === undefined || isResourceServerOf(client, audienceOf(found.claims), settings.resource);
      return serves || client.id === found.client.id ? describeAccessToken(found, settings, serves) : INACTIVE;
    }
    const grant = (await accounts.grants.findByRefreshToken(token))?.grant;
    const owner = clients.find(grant?.session.clientId)?.client;
    if (grant === undefined || owner === undefined) return INACTIVE;
    if (client !== undefined && client.id !== owner.id) return INACTIVE;
    return describeRefreshToken(grant, owner, settings, client === undefined);
  };

  return {
    introspect,
    endpoint: (request, info) =>
      answering(info, onError, async () => {
        const form = await readParameters(request, bodyLimits.auth);
        const client = await authenticateClient(request, form, info);
        if (client.authMethod === 'none') throw refusePublic(client, info);
        const key = `oauth:introspect:${client.id}`;
        await admit(limits, [{ key, max: introspectionsPerMinute, windowMs: MINUTE }], clock);
        const token = form.get('token');
        if (token === undefined) throw new OAuthError('invalid_request', { problem: 'token is missing' });
        return answer(200, await introspect(token, { clientId: client.id }));
      }),
  };
}

function isResourceServerOf({ introspects }: Client, audience: readonly string[], resource: string): boolean {
  const own = introspects === 'resource' ? [resource] : introspects;
  return audience.some((name) => own.includes(name));
}

/** The name of a client is no secret: whoever has come by a token could find out whether it is good (RFC 7662 section 4). */
function refusePublic({ id }: Client, info: RequestInfo): OAuthError {
  publishAudit({ type: 'client.rejected', clientId: id, reason: 'public_client', ...originOf(info) });
  return new OAuthError('invalid_client', { status: 401 });
}
