import { GraphQLError } from 'graphql';

/** The caller is unknown. */
export function notAuthenticated(): GraphQLError {
  return new GraphQLError('Not authenticated', { extensions: { code: 'UNAUTHENTICATED' } });
}

/** The caller is known, and not allowed; says neither why nor what would be needed. */
export function notAuthorized(): GraphQLError {
  return new GraphQLError('Not authorized', { extensions: { code: 'FORBIDDEN' } });
}
