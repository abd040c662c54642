import { GraphQLError } from 'graphql';
import { errorCatalogue, type StepUp } from '../../core/index.ts';

/** The caller is unknown. */
export function notAuthenticated(): GraphQLError {
  return new GraphQLError('Not authenticated', { extensions: { code: 'UNAUTHENTICATED' } });
}

/** The caller is known, and not allowed; says neither why nor what would be needed. */
export function notAuthorized(): GraphQLError {
  return new GraphQLError('Not authorized', { extensions: { code: 'FORBIDDEN' } });
}

/** The caller is known and would be allowed after another login; says which (RFC 9470 section 3). */
export function insufficientLogin(stepUp: StepUp | undefined): GraphQLError {
  const { message } = errorCatalogue.AUTH_REAUTHENTICATION_REQUIRED;
  return new GraphQLError(message, { extensions: stepUpExtensions(stepUp) });
}

/** The parameters of the challenge, by the names that RFC 9470 gives them. */
export function stepUpExtensions({ maxAgeSeconds, acrValues }: StepUp = {}): Record<string, unknown> {
  return {
    code: 'UNAUTHENTICATED',
    error: 'insufficient_user_authentication',
    ...(maxAgeSeconds !== undefined && { max_age: maxAgeSeconds }),
    ...(acrValues !== undefined && { acr_values: acrValues.join(' ') }),
  };
}
