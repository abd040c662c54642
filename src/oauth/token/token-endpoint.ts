import { bodyLimits, type RouteHandler } from '../../http/index.ts';
import { answering } from '../answers.ts';
import type { GrantType } from '../clients/client-metadata.ts';
import { OAuthError } from '../oauth-error.ts';
import type { AuthenticateClient, DpopVerifier } from '../parts.ts';
import { readParameters } from '../read-form.ts';
import type { Settings } from '../settings.ts';
import { createClientCredentialsGrant } from './client-credentials-grant.ts';
import { createCodeGrant } from './code-grant.ts';
import { createIssueTokens } from './issue-tokens.ts';
import { createRefreshGrant } from './refresh-grant.ts';
import { type AnswerGrant, readBinding, requireParameter } from './token-request.ts';

/**
 * Makes the token endpoint (RFC 6749 section 3.2). The client is authenticated before anything else is looked at,
 * and everything that can be refused is refused before anything is used up.
 */
export function createTokenEndpoint(
  settings: Settings,
  { authenticateClient, dpop }: { readonly authenticateClient: AuthenticateClient; readonly dpop: DpopVerifier },
): RouteHandler {
  const { onError, urls, issuer } = settings;
  const issueTokens = createIssueTokens(settings);
  const grants: ReadonlyMap<string, AnswerGrant> = new Map<GrantType, AnswerGrant>([
    ['authorization_code', createCodeGrant(settings, issueTokens)],
    ['refresh_token', createRefreshGrant(settings, issueTokens)],
    ['client_credentials', createClientCredentialsGrant(settings, issueTokens)],
  ]);

  return (request, info) =>
    answering(info, onError, async () => {
      const form = await readParameters(request, bodyLimits.auth);
      const client = await authenticateClient(request, form, info);
      const grantType = requireParameter(form, 'grant_type');
      const answerGrant = grants.get(grantType);
      if (answerGrant === undefined) throw new OAuthError('unsupported_grant_type');
      if (!client.grantTypes.includes(grantType as GrantType)) throw new OAuthError('unauthorized_client');
      const binding = await readBinding(request, client, info, { dpop, urls, issuer });
      return answerGrant({ form, client, binding, info });
    });
}
