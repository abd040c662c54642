import { makeExecutableSchema } from '@graphql-tools/schema';
import { createAccounts } from 'doorward/accounts';
import { authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { createBcryptHasher, type PasswordHasher } from 'doorward/passwords';
import { contractRoles } from 'doorward/rbac';
import { createMemoryAccountStore, createMemoryRateLimitStore, createMemorySessionStore } from 'doorward/stores/memory';
import { createTokenIssuer, createTokenVerifier, secretKey } from 'doorward/tokens';
import { graphql } from 'graphql';
import { afterAll, expect, it } from 'vitest';

const bcrypt = createBcryptHasher({ cost: 4 });
afterAll(() => bcrypt.close());

it('LOG-21 a hundred logins in one request are a hundred attempts, as mutations and as fields of a query', async () => {
  let evaluations = 0;
  const hasher: PasswordHasher = {
    ...bcrypt,
    verify(password, stored) {
      evaluations += 1;
      return bcrypt.verify(password, stored);
    },
  };
  const key = secretKey('kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A');
  const accounts = createAccounts({
    store: createMemoryAccountStore(),
    limits: createMemoryRateLimitStore(),
    sessions: createMemorySessionStore(),
    hasher,
    issuer: createTokenIssuer({ key }),
    verifier: createTokenVerifier({ keys: [key] }),
    roles: contractRoles.roles,
  });
  await accounts.register({ username: 'ada', password: 'the right password', email: 'ada@example.org' });
  const login = (_: unknown, { password }: { password: string }) =>
    accounts.login({ username: 'ada', password }, { ip: '192.0.2.1' }).then(({ accessToken }) => accessToken);
  const field = 'login(password: String!): String @public';
  const schema = protectSchema(
    makeExecutableSchema({
      typeDefs: [authDirectives(), `type Query { ${field} } type Mutation { ${field} }`],
      resolvers: { Query: { login }, Mutation: { login } },
    }),
    { pdp: contractRoles },
  );
  // Fields of a query run side by side, those of a mutation one after the other.
  for (const operation of ['query', 'mutation']) {
    evaluations = 0;
    const aliases = Array.from(
      { length: 100 },
      (_, index) => `a${index}: login(password: "guess ${operation} ${index}")`,
    );
    const { data, errors = [] } = await graphql({ schema, source: `${operation} { ${aliases.join(' ')} }` });
    expect(Object.values(data ?? {}).filter((token) => token !== null)).toEqual([]);
    expect(evaluations).toBe(operation === 'query' ? 10 : 0);
    expect(errors).toHaveLength(100);
    const codes = errors.map((error) => maskGraphQLError(error, {}).extensions.code);
    expect(new Set(codes)).not.toContain(undefined);
  }
});
