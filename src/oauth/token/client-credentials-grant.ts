import { randomBytes } from 'node:crypto';
import { clientSubject } from '../../accounts/index.ts';
import { admit } from '../../accounts/login/limiter.ts';
import { readAudience } from '../audience.ts';
import { OAuthError } from '../oauth-error.ts';
import { narrowScope } from '../scope.ts';
import { type Settings, STANDARD_SCOPES } from '../settings.ts';
import type { IssueTokens } from './issue-tokens.ts';
import type { AnswerGrant } from './token-request.ts';

/** No login stands behind such a token (OpenID Connect Core section 2 gives `acr` the value 0 for that). */
const NO_LOGIN = { authTime: 0, amr: [], acr: '0' } as const;

const MINUTE_MS = 60_000;

/**
 * A client that acts for itself (RFC 6749 section 4.4). The standard scopes are about people, so it never gets
 * them; and its subject is in a namespace where no account can be (RFC 9700 section 4.15).
 */
export function createClientCredentialsGrant(settings: Settings, issueTokens: IssueTokens): AnswerGrant {
  const { accounts, limits, clock, accessTokenSeconds, clientTokensPerMinute: max } = settings;

  return async ({ form, client, binding, info }) => {
    const own = client.scopes.filter((name) => !Object.hasOwn(STANDARD_SCOPES, name));
    const scopes = narrowScope(form.get('scope'), own);
    const audience = readAudience(form.all('resource'), client, settings);
    const { certificateThumbprint } = binding;
    await admit(limits, [{ key: `oauth:token:${client.id}`, max, windowMs: MINUTE_MS }], clock);
    const grant = await accounts.grants.start(
      {
        sessionId: randomBytes(16).toString('base64url'),
        accountId: clientSubject(client.id),
        clientId: client.id,
        scopes,
        audience,
        ...NO_LOGIN,
        startedAt: clock(),
        refreshToken: false,
        // A second more than the token, which is made after it.
        lifetimeSeconds: accessTokenSeconds + 1,
        ...(certificateThumbprint !== undefined && { certificateThumbprint }),
      },
      info,
    );
    if (grant === undefined) throw new OAuthError('invalid_grant');
    return issueTokens({ grant, client, scopes, audience, binding });
  };
}
