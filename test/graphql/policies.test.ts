import { type AuthContext, definePolicies, protectSchema } from 'doorward/graphql';
import { expect, test } from 'vitest';
import { ask, build, roleTable, type TestContext, viewer } from './support.ts';

interface DepartmentContext {
  readonly auth: AuthContext;
  readonly department: string;
}

test('policies are typed against the context, and their names stay known', async () => {
  const policies = definePolicies<TestContext>()({ isViewer: ({ context }) => context.auth.principal?.id === 'v1' });
  const name: 'isViewer' = 'isViewer' satisfies keyof typeof policies;
  const schema = protectSchema(
    build(`type Query { a: String @auth(policy: [["${name}"]]) }`, { Query: { a: () => 'a' } }),
    { pdp: roleTable(), policies, auth: (context) => context.auth },
  );
  expect((await ask(schema, viewer, '{ a }')).data).toEqual({ a: 'a' });
});

test('a policy that reads what the context lacks, or answers with a text, does not compile', () => {
  // @ts-expect-error the context has a department and no tenant
  const lacking = definePolicies<DepartmentContext>()({ own: ({ context }) => context.tenant === '' });
  // @ts-expect-error neither boolean nor decision
  const texting = definePolicies<DepartmentContext>()({ own: () => 'yes' });
  expect([Object.keys(lacking), Object.keys(texting)]).toEqual([['own'], ['own']]);
});
