import { isDoorwardError } from '../../core/index.ts';
import type { PageReason } from './interaction-pages.ts';

/** What a person is told about a login that failed; `undefined` for what is no matter of the login. */
export function loginProblem(error: unknown): Required<PageReason> | undefined {
  if (!isDoorwardError(error)) return undefined;
  const { retryAfterSeconds } = error;
  const headers: Record<string, string> = {};
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  switch (error.code) {
    case 'INPUT_INVALID':
    case 'AUTH_INVALID_CREDENTIALS':
      return { problem: 'invalid_credentials', status: 401, headers };
    case 'AUTH_SECOND_FACTOR_REQUIRED':
      return { problem: 'invalid_second_factor', status: 401, headers };
    case 'HTTP_TOO_MANY_REQUESTS':
      return { problem: 'too_many_requests', status: 429, headers };
    case 'SERVICE_BUSY':
    case 'SERVICE_UNAVAILABLE':
      return { problem: 'unavailable', status: 503, headers };
    default:
      return undefined;
  }
}
