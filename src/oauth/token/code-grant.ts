import type { StartedGrant } from '../../accounts/index.ts';
import { publishAudit } from '../../core/index.ts';
import { originOf } from '../../core/origin.ts';
import { narrowAudience } from '../audience.ts';
import type { CodeRecord } from '../codes/code-store.ts';
import { OAuthError } from '../oauth-error.ts';
import type { Settings } from '../settings.ts';
import { checkCode, hashCode, sessionIdOf } from './code-check.ts';
import { createCodeReplay } from './code-replay.ts';
import type { IssueTokens } from './issue-tokens.ts';
import { type AnswerGrant, requireParameter, type TokenRequest } from './token-request.ts';

/** A code that was taken by this request, and the session that it may start. */
interface Taken {
  readonly hash: string;
  readonly record: CodeRecord;
  readonly sessionId: string;
}

/**
 * Redeems authorization codes (RFC 6749 section 4.1.3). Everything is checked first, then one indivisible operation
 * takes the code, and only then tokens are made: whatever fails after that leaves the code used up and gives nothing.
 */
export function createCodeGrant(settings: Settings, issueTokens: IssueTokens): AnswerGrant {
  const { codes, accounts, consents, clock, maxVerifierFailures } = settings;
  const replay = createCodeReplay(settings);

  /** The code, if everything but the race for it speaks for the request. */
  async function findCode(hash: string, request: TokenRequest): Promise<CodeRecord> {
    const state = await codes.find(hash, clock());
    if (state === undefined) return findGiven(hash, request);
    if (state.takenBy !== undefined)
      return replay({ hash, record: state.record, sessionId: state.takenBy }, request.info);
    const reason = checkCode(state, request, settings);
    if (reason === 'wrong_verifier') await codes.fail(hash, clock());
    return reason === undefined ? state.record : refuse(reason, request);
  }

  /** A code that is remembered no more may have given what is still there. */
  async function findGiven(hash: string, request: TokenRequest): Promise<never> {
    const session = await accounts.grants.findSession(sessionIdOf(hash));
    if (session?.clientId === undefined) return refuse('unknown_code', request);
    const { id, accountId, clientId } = session;
    return replay({ hash, record: { accountId, clientId }, sessionId: id }, request.info);
  }

  async function take(hash: string, record: CodeRecord, request: TokenRequest): Promise<Taken> {
    const sessionId = sessionIdOf(hash);
    const taken = await codes.take(hash, sessionId, maxVerifierFailures, clock());
    if (taken.kind === 'taken') return { hash, record, sessionId };
    if (taken.kind === 'replayed') return replay({ hash, record, sessionId: taken.sessionId }, request.info);
    return refuse('gone', request);
  }

  async function start(taken: Taken, request: TokenRequest): Promise<StartedGrant> {
    const { record, sessionId } = taken;
    const { client, binding, info } = request;
    const { accountId, scopes, audience, authTime, amr, acr } = record;
    const { dpopThumbprint, certificateThumbprint } = binding;
    const refreshToken = client.grantTypes.includes('refresh_token');
    const isPublic = client.authMethod === 'none';
    const grant = await accounts.grants.start(
      {
        ...{ sessionId, accountId, clientId: client.id, scopes, audience, authTime, amr, acr, refreshToken },
        startedAt: record.issuedAt,
        ...(isPublic && dpopThumbprint !== undefined && { dpopThumbprint }),
        ...(certificateThumbprint !== undefined && { certificateThumbprint }),
      },
      info,
    );
    return grant ?? refuse('account', request);
  }

  /**
   * Looks again at what may have changed since the code was made and while the session was started. Whoever replays
   * the code or takes the consent back either finds the session and ends it, or has left its mark before this.
   */
  async function confirm({ hash, record }: Taken, grant: StartedGrant, request: TokenRequest): Promise<void> {
    const { client, info } = request;
    if (client.consent === 'ask') {
      const consent = await consents.find(record.accountId, client.id);
      if (!record.scopes.every((name) => consent?.scopes.includes(name))) refuse('consent', request);
    }
    const login = await accounts.grants.findSession(record.loginSessionId);
    if (login?.accountId !== record.accountId) refuse('login', request);
    const state = await codes.find(hash, clock());
    // Its tokens are worthless then, and nobody is told which of the two callers was the client.
    if (state?.replayed !== false) await accounts.grants.end(grant.session, 'code_replayed', info);
  }

  return async (request) => {
    const { form, client, binding } = request;
    const hash = hashCode(requireParameter(form, 'code'));
    const record = await findCode(hash, request);
    const audience = narrowAudience(form.all('resource'), record.audience);
    const taken = await take(hash, record, request);
    try {
      const grant = await start(taken, request);
      await confirm(taken, grant, request);
      const { refreshToken } = grant;
      const { scopes, nonce } = record;
      return issueTokens({ grant, client, scopes, audience, binding, refreshToken, nonce });
    } catch (error) {
      const begun = { id: taken.sessionId, accountId: record.accountId };
      await accounts.grants.end(begun, 'revoked', request.info).catch(() => undefined);
      throw error;
    }
  };
}

function refuse(reason: string, { client, info }: TokenRequest): never {
  publishAudit({ type: 'code.rejected', clientId: client.id, reason, ...originOf(info) });
  throw new OAuthError('invalid_grant');
}
