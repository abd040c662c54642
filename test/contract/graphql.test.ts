import { buildClientSchema, getIntrospectionQuery, printType } from 'graphql';
import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, challengeOf, type DemoName, ids, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const as = async (name: DemoName, query: string, variables?: Record<string, unknown>) =>
  service.graphql(query, await service.token(name), variables);
const codes = (body: { errors?: { extensions?: { code?: string } }[] }) =>
  (body.errors ?? []).map((error) => error.extensions?.code);

describe('the schema', () => {
  it('can be queried, and has the types of the contract', async () => {
    const { body } = await service.graphql(getIntrospectionQuery());
    const schema = buildClientSchema(body.data);
    const print = (name: string) => {
      const type = schema.getType(name);
      return type ? printType(type).replaceAll(/"""[\s\S]*?"""\n\s*/g, '') : undefined;
    };
    expect(print('User')).toBe(
      'type User {\n  id: ID!\n  name: String!\n  email: String!\n  posts: [Post!]!\n  createdAt: DateTime!\n}',
    );
    expect(print('Post')).toBe(
      'type Post {\n  id: ID!\n  title: String!\n  content: String!\n  author: User!\n  published: Boolean!\n}',
    );
    expect(print('CreatePostInput')).toBe(
      'input CreatePostInput {\n  title: String!\n  content: String!\n  authorId: ID\n}',
    );
    expect(print('Query')).toBe(
      'type Query {\n  user(id: ID!): User\n  users(limit: Int, offset: Int): [User!]!\n  post(id: ID!): Post\n}',
    );
    expect(print('Mutation')).toBe(
      'type Mutation {\n  createUser(name: String!, email: String!): User!\n  createPost(title: String, content: String, authorId: ID, input: CreatePostInput): Post!\n  publishPost(id: ID!): Post!\n}',
    );
    expect(print('Subscription')).toBe(
      'type Subscription {\n  postPublished(authorId: ID): Post!\n  postCreated: Post!\n  userCreated: User!\n}',
    );
  });

  it('a client gets the fields that it selects and no others', async () => {
    const { body } = await as('viewer', '{ users(limit: 1) { name } }');
    expect(body.data.users).toEqual([{ name: expect.any(String) }]);
  });

  it('DateTime is RFC 3339 in UTC', async () => {
    const { body } = await as('viewer', 'query($id: ID!) { user(id: $id) { createdAt } }', { id: ids.viewer });
    expect(body.data.user.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  });

  it('operations may be named and take variables', async () => {
    const query = 'query One($id: ID!) { user(id: $id) { id } } query Two { __typename }';
    const answer = await service.postJson(
      '/graphql',
      { query, operationName: 'One', variables: { id: ids.viewer } },
      await service.token('viewer'),
    );
    expect(answer.body).toEqual({ data: { user: { id: ids.viewer } } });
  });
});

describe('transport', () => {
  it('GET answers queries and refuses mutations with 405', async () => {
    const get = (query: string) => service.fetch(`/graphql?query=${encodeURIComponent(query)}`);
    expect((await get('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
    expect(await get('mutation { publishPost(id: "1") { id } }')).toMatchObject({ status: 405 });
  });

  it.each([
    ['anonymous', undefined],
    ['with a valid token', 'viewer' as const],
  ])('all 61 audits of graphql-http pass, %s', async (_, name) => {
    const token = name && (await service.token(name));
    const results = await auditServer({
      url: `${service.url}/graphql`,
      fetchFn: (url: string, init: RequestInit = {}) =>
        fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...bearer(token) } }),
    });
    expect(results).toHaveLength(61);
    expect(results.filter((result) => result.status !== 'ok').map((result) => `${result.id} ${result.name}`)).toEqual(
      [],
    );
  });

  it('with an invalid token every request is the pinned 401, audits included', async () => {
    const statuses = new Set<string>();
    await auditServer({
      url: `${service.url}/graphql`,
      fetchFn: async (url: string, init: RequestInit = {}) => {
        const response = await fetch(url, {
          ...init,
          headers: { ...(init.headers as Record<string, string>), ...bearer('invalid') },
        });
        statuses.add(`${response.status} ${challengeOf(response)} ${await response.clone().text()}`);
        return response;
      },
    });
    expect([...statuses]).toEqual(['401 Bearer error="invalid_token" {"error":"Not authenticated"}']);
  });

  it('an expired token is 401 for the whole request', async () => {
    const { token } = await service.newcomer();
    service.clock.now += 1_801_000;
    const answer = await service.graphql('{ __typename }', token);
    service.clock.reset();
    expect(answer.status).toBe(401);
  });

  it('a list of operations is refused', async () => {
    const answer = await service.postJson('/graphql', [{ query: '{ __typename }' }, { query: '{ __typename }' }]);
    expect(answer.status).toBe(400);
  });
});

describe('who may do what', () => {
  it('without a token the endpoint answers, and every guarded field is UNAUTHENTICATED', async () => {
    const answer = await service.graphql('{ __typename user(id: "1") { id } post(id: "1") { id } }');
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ __typename: 'Query', user: null, post: null });
    expect(codes(answer.body)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });

  it('an account without roles is FORBIDDEN to read', async () => {
    const { token, id } = await service.newcomer();
    await service.fetch(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...bearer(await service.token('admin')) },
      body: '{"roles":[]}',
    });
    const { body } = await service.graphql('{ user(id: "1") { id } post(id: "1") { id } users { id } }', token);
    expect(new Set(codes(body))).toEqual(new Set(['FORBIDDEN']));
  });

  it('an unknown id is null', async () => {
    expect((await as('viewer', '{ user(id: "none") { id } post(id: "none") { id } }')).body).toEqual({
      data: { user: null, post: null },
    });
  });

  it('an unpublished post is visible to its author and the staff; to others it is null, without an error', async () => {
    const read = async (name: DemoName, id: string) =>
      (await as(name, 'query($id: ID!) { post(id: $id) { id } }', { id })).body;
    expect(await read('viewer', ids.draftOfEditor)).toEqual({ data: { post: null } });
    for (const name of ['editor', 'moderator', 'admin'] as const) {
      expect(await read(name, ids.draftOfEditor)).toEqual({ data: { post: { id: ids.draftOfEditor } } });
    }
    expect(await read('viewer', ids.draftOfViewer)).toEqual({ data: { post: { id: ids.draftOfViewer } } });
    expect(await read('viewer', ids.published)).toEqual({ data: { post: { id: ids.published } } });
  });

  it('a hidden post is left out of lists, without an error, on every path', async () => {
    const query =
      'query($id: ID!) { user(id: $id) { posts { id author { posts { id } } } } users(limit: 100) { posts { id } } }';
    const { body } = await as('viewer', query, { id: ids.editor });
    expect(body.errors).toBeUndefined();
    expect(JSON.stringify(body)).toContain(ids.published);
    expect(JSON.stringify(body)).not.toContain(ids.draftOfEditor);
    expect(JSON.stringify((await as('editor', query, { id: ids.editor })).body)).toContain(ids.draftOfEditor);
  });

  it('User.email is whole to the user itself and to manage_users, masked to others, never an error', async () => {
    const email = async (name: DemoName, id: string) =>
      (await as(name, 'query($id: ID!) { user(id: $id) { email } }', { id })).body;
    const whole = (await email('editor', ids.editor)).data.user.email;
    expect(whole).not.toContain('*');
    expect(await email('admin', ids.editor)).toEqual({ data: { user: { email: whole } } });
    const masked = `***@${whole.split('@')[1]}`;
    expect(await email('viewer', ids.editor)).toEqual({ data: { user: { email: masked } } });
    expect(await email('moderator', ids.editor)).toEqual({ data: { user: { email: masked } } });
  });

  it('createUser needs manage_users', async () => {
    const create =
      'mutation { createUser(name: "Nina", email: "nina@example.org") { id name email createdAt posts { id } } }';
    expect(codes((await as('editor', create)).body)).toEqual(['FORBIDDEN']);
    const { body } = await as('admin', create);
    expect(body.data.createUser).toMatchObject({ name: 'Nina', email: 'nina@example.org', posts: [] });
  });

  it('createPost needs create; published starts false; without authorId the author is the principal', async () => {
    const create = 'mutation { createPost(title: "T", content: "C") { title content published author { id } } }';
    expect(codes((await as('viewer', create)).body)).toEqual(['FORBIDDEN']);
    const { body } = await as('editor', create);
    expect(body.data.createPost).toEqual({ title: 'T', content: 'C', published: false, author: { id: ids.editor } });
  });

  it('createPost accepts both forms', async () => {
    const { body } = await as(
      'editor',
      'mutation($input: CreatePostInput!) { createPost(input: $input) { title author { id } } }',
      {
        input: { title: 'By input', content: 'C' },
      },
    );
    expect(body.data.createPost).toEqual({ title: 'By input', author: { id: ids.editor } });
  });

  it.each([
    'createPost { id }',
    'createPost(title: "T") { id }',
    'createPost(title: "T", content: "C", input: { title: "T", content: "C" }) { id }',
    'createPost(title: "T", input: { title: "T", content: "C" }) { id }',
    'createPost(title: null, content: "C") { id }',
  ])('%s is BAD_USER_INPUT: exactly one form must be given', async (field) => {
    expect(codes((await as('editor', `mutation { ${field} }`)).body)).toEqual(['BAD_USER_INPUT']);
  });

  it('an authorId other than one’s own needs manage_users, in both forms, through literals and variables', async () => {
    const forms = [
      [
        'mutation($a: ID!) { createPost(title: "T", content: "C", authorId: $a) { author { id } } }',
        (a: string) => ({ a }),
      ],
      [
        'mutation($i: CreatePostInput!) { createPost(input: $i) { author { id } } }',
        (a: string) => ({ i: { title: 'T', content: 'C', authorId: a } }),
      ],
    ] as const;
    for (const [mutation, variables] of forms) {
      expect(codes((await as('editor', mutation, variables(ids.viewer))).body)).toEqual(['FORBIDDEN']);
      expect((await as('editor', mutation, variables(ids.editor))).body.data.createPost.author.id).toBe(ids.editor);
      expect((await as('admin', mutation, variables(ids.viewer))).body.data.createPost.author.id).toBe(ids.viewer);
      expect(codes((await as('admin', mutation, variables('nobody'))).body)).toEqual(['BAD_USER_INPUT']);
    }
  });

  it('publishPost needs update, or ownership, and is idempotent', async () => {
    const publish = 'mutation($id: ID!) { publishPost(id: $id) { id published } }';
    const draft = async (authorId: string) =>
      (
        await as('admin', 'mutation($a: ID!) { createPost(title: "D", content: "D", authorId: $a) { id } }', {
          a: authorId,
        })
      ).body.data.createPost.id;
    const own = await draft(ids.viewer);
    const foreign = await draft(ids.editor);
    expect(codes((await as('viewer', publish, { id: foreign })).body)).toEqual(['FORBIDDEN']);
    expect((await as('viewer', publish, { id: own })).body.data.publishPost).toEqual({ id: own, published: true });
    expect((await as('viewer', publish, { id: own })).body.data.publishPost).toEqual({ id: own, published: true });
    expect((await as('moderator', publish, { id: foreign })).body.data.publishPost).toEqual({
      id: foreign,
      published: true,
    });
  });

  it('publishPost of an unknown id is FORBIDDEN to those without update, NOT_FOUND to the others', async () => {
    const publish = 'mutation { publishPost(id: "none") { id } }';
    expect(codes((await as('viewer', publish)).body)).toEqual(['FORBIDDEN']);
    for (const name of ['editor', 'moderator', 'admin'] as const)
      expect(codes((await as(name, publish)).body)).toEqual(['NOT_FOUND']);
  });
});

describe('users(limit, offset)', () => {
  it('defaults to 20 and 0, in order of creation, then id', async () => {
    for (let count = 0; count < 22; count += 1)
      await as('admin', 'mutation { createUser(name: "U", email: "u@example.org") { id } }');
    const all = (await as('viewer', '{ users(limit: 100) { id createdAt } }')).body.data.users as {
      id: string;
      createdAt: string;
    }[];
    expect(all).toEqual([...all].sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id)));
    expect((await as('viewer', '{ users { id } }')).body.data.users).toEqual(
      all.slice(0, 20).map(({ id }) => ({ id })),
    );
    expect((await as('viewer', '{ users(limit: 2, offset: 3) { id } }')).body.data.users).toEqual(
      all.slice(3, 5).map(({ id }) => ({ id })),
    );
  });

  it.each(['limit: -1', 'limit: 101', 'limit: 2147483647', 'offset: -5'])(
    'GQL-12 %s is BAD_USER_INPUT',
    async (argument) => {
      expect(codes((await as('viewer', `{ users(${argument}) { id } }`)).body)).toEqual(['BAD_USER_INPUT']);
    },
  );
});

describe('errors', () => {
  it.each([
    ['syntax', '{'],
    ['validation', '{ nonsense }'],
    ['a variable', 'query($id: ID!) { user(id: $id) { id } }'],
  ])('about %s carry the code BAD_USER_INPUT', async (_, query) => {
    expect(codes((await as('viewer', query)).body)).toEqual(['BAD_USER_INPUT']);
  });

  it('carry one of the five codes and a generic message', async () => {
    const known = ['UNAUTHENTICATED', 'FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND', 'INTERNAL_SERVER_ERROR'];
    const answers = await Promise.all([
      service.graphql('{ users { id } }'),
      as('viewer', 'mutation { createUser(name: "x", email: "x@example.org") { id } }'),
      as('viewer', '{ users(limit: 1000) { id } }'),
      as('editor', 'mutation { publishPost(id: "none") { id } }'),
    ]);
    for (const { body } of answers) {
      for (const error of body.errors) {
        expect(known).toContain(error.extensions.code);
        expect(Object.keys(error.extensions)).toEqual(['code']);
        expect(error.message).not.toMatch(/manage_users|admin|rule|policy/);
      }
    }
  });
});
