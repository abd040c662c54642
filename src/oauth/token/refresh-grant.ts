import type { Grant } from '../../accounts/index.ts';
import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { audiencesOf, narrowAudience } from '../audience.ts';
import { OAuthError } from '../oauth-error.ts';
import { narrowScope } from '../scope.ts';
import type { Settings } from '../settings.ts';
import type { IssueTokens } from './issue-tokens.ts';
import { type AnswerGrant, requireParameter, type TokenRequest } from './token-request.ts';

/** What the access token of a refresh shall be; the refresh token keeps all that was granted (RFC 6749 section 6). */
interface Asked {
  readonly scopes: readonly string[];
  readonly audience: readonly string[];
}

/**
 * Swaps refresh tokens through the rotation of the accounts. What a request asks for is checked before the token is
 * used up, so that a mistake in it costs nobody the login.
 */
export function createRefreshGrant(settings: Settings, issueTokens: IssueTokens): AnswerGrant {
  const { accounts } = settings;
  return async (request) => {
    const { form, client, binding, info } = request;
    const { refreshToken, ...grant } = await accounts.grants.rotate(requireParameter(form, 'refresh_token'), {
      clientId: client.id,
      caller: info,
      admit: (candidate) => {
        requireOwnKey(candidate, request);
        askedOf(candidate, request, settings);
      },
    });
    const bound = grant.session.certificateThumbprint;
    return issueTokens({
      grant,
      client,
      ...askedOf(grant, request, settings),
      binding: bound === undefined ? binding : { certificateThumbprint: bound },
      refreshToken,
    });
  };
}

/** The refresh token of a public client is bound to the key that it was given for (RFC 9449 section 5). */
function requireOwnKey({ session }: Grant, { binding, info }: TokenRequest): void {
  if (session.dpopThumbprint === undefined || session.dpopThumbprint === binding.dpopThumbprint) return;
  publishAudit({ type: 'token.rejected', reason: 'confirmation', ...originOf(info) });
  throw new OAuthError('invalid_grant');
}

/** What has been taken out of the client's registration since is no longer given. */
function askedOf({ session }: Grant, { form, client }: TokenRequest, settings: Settings): Asked {
  const registered = audiencesOf(client, settings);
  const scopes = (session.scopes ?? []).filter((name) => client.scopes.includes(name));
  const audience = (session.audience ?? []).filter((name) => registered.includes(name));
  return {
    scopes: narrowScope(form.get('scope'), scopes),
    audience: narrowAudience(form.all('resource'), audience),
  };
}
