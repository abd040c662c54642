import type { Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ask, askRaw, codesOf, createWorld, get, post, SECRET, until, type World } from './support.ts';

export interface RunningHost {
  readonly url: string;
  /** Absent where the host keeps it to itself. */
  readonly server?: Server;
  close(): Promise<void>;
}

export interface Host {
  readonly name: string;
  /** Whether the context comes from a recipe, and has what a single request needs. */
  readonly makesOwnContext?: boolean;
  start(world: World): Promise<RunningHost>;
  /** The same with batches on, where the host has them. */
  readonly startBatching?: (world: World) => Promise<RunningHost>;
  /** Where hosts differ by themselves; each says why. */
  readonly pinned: {
    /** A query by GET. Some hosts want a header beside it that no form of another site can send. */
    readonly getHeaders?: Record<string, string>;
    /** A query by GET with the content type of a form. */
    readonly getAsText: number;
    /** A mutation by GET. */
    readonly mutationByGet: number;
    /** A query in a body of text/plain. */
    readonly postAsText: number;
    readonly batch: number;
    readonly badJson: number;
    readonly noQuery: number;
    readonly syntax: number;
    readonly unknownField: number;
    readonly badVariable: number;
    /** The codes of the host's own for a syntax error and for an unknown field. @default BAD_USER_INPUT */
    readonly codes?: readonly [syntax: string, unknownField: string];
  };
}

/** What every host has to do the same, over real sockets. */
export function behaves(host: Host): void {
  describe(`${host.name}: the behaviour of every host`, () => {
    const world = createWorld();
    let running: RunningHost;
    let url: string;
    beforeAll(async () => {
      running = await host.start(world);
      ({ url } = running);
    });
    afterAll(() => running.close());
    beforeEach(() => {
      world.ran.length = 0;
      world.errors.length = 0;
    });

    it('answers an anonymous { __typename } with 200', async () => {
      const answer = await ask(url, '{ __typename }');
      expect([answer.status, answer.body]).toEqual([200, { data: { __typename: 'Query' } }]);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    });

    it('answers anonymous introspection', async () => {
      const { status, body } = await ask(url, '{ __type(name: "Query") { name } }');
      expect([status, body]).toEqual([200, { data: { __type: { name: 'Query' } } }]);
    });

    it('gives an anonymous caller what is public beside the error of what is not', async () => {
      const answer = await ask(url, '{ hello me { id } }');
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ hello: 'world', me: null });
      expect(answer.body.errors).toEqual([
        expect.objectContaining({
          message: 'Not authenticated',
          path: ['me'],
          extensions: { code: 'UNAUTHENTICATED' },
        }),
      ]);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(world.ran).toEqual(['hello']);
    });

    it.each([
      ['unknown', 'Bearer no-such-token'],
      ['of another scheme', 'Basic YWRhOnBhc3N3b3Jk'],
      ['empty', 'Bearer'],
      ['two in one', 'Bearer ada-token, Bearer vi-token'],
      ['with more behind it', 'Bearer ada-token and more'],
    ])('refuses the whole request for a token that is %s', async (_kind, authorization) => {
      const before = world.ran.length;
      const answers = [
        await post(url, { query: '{ __typename hello }' }, { headers: { authorization } }),
        await post(url, { query: 'mutation { bump }' }, { headers: { authorization } }),
        await get(url, '{ hello }', { headers: { authorization, ...host.pinned.getHeaders } }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
        expect(answer.text).not.toMatch(/world|token|stack|at /i);
        expect(answer.body.data ?? null).toBeNull();
      }
      expect(world.ran.length).toBe(before);
    });

    it('runs nothing for an Authorization header given twice', async () => {
      const twice = ['Authorization', 'Bearer vi-token', 'Authorization', 'Bearer ada-token'];
      const { status, text } = await askRaw(url, '{ hello adminOnly }', twice);
      expect([400, 401]).toContain(status);
      expect(text).not.toContain('the books');
      expect(world.ran).toEqual([]);
    });

    it('forbids what a known caller may not, and says no more than that', async () => {
      const answer = await ask(url, '{ hello adminOnly }', { as: 'vi' });
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ hello: 'world', adminOnly: null });
      expect(answer.body.errors).toEqual([
        expect.objectContaining({ message: 'Not authorized', path: ['adminOnly'], extensions: { code: 'FORBIDDEN' } }),
      ]);
      expect(answer.text).not.toMatch(/stack|exception|role|http|node_modules/i);
    });

    it.each(['POST', 'GET'])('gives those who may the data, by %s', async (method) => {
      const answer =
        method === 'POST'
          ? await ask(url, '{ adminOnly me { id name } }', { as: 'ada' })
          : await get(url, '{ adminOnly me { id name } }', { as: 'ada', headers: host.pinned.getHeaders ?? {} });
      expect([answer.status, answer.body]).toEqual([
        200,
        { data: { adminOnly: 'the books', me: { id: 'ada', name: 'Name of ada' } } },
      ]);
    });

    it('reads the roles at every request', async () => {
      const account = world.accounts.get('ed-token');
      if (account === undefined) throw new Error('there is no such account');
      expect(codesOf(await ask(url, '{ adminOnly }', { as: 'ed' }))).toEqual(['adminOnly: FORBIDDEN']);
      account.roles = ['admin'];
      expect(codesOf(await ask(url, '{ adminOnly }', { as: 'ed' }))).toEqual([]);
      account.roles = ['editor'];
      expect(codesOf(await ask(url, '{ adminOnly }', { as: 'ed' }))).toEqual(['adminOnly: FORBIDDEN']);
    });

    it('refuses an account at the moment that it is disabled', async () => {
      const account = world.accounts.get('ed-token');
      if (account === undefined) throw new Error('there is no such account');
      expect((await ask(url, '{ me { id } }', { as: 'ed' })).status).toBe(200);
      account.isDisabled = true;
      const answer = await ask(url, '{ me { id } }', { as: 'ed' });
      account.isDisabled = false;
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    });

    it('reads no token out of the URL', async () => {
      const inUrl = `${url}?access_token=ada-token&authorization=Bearer%20ada-token&token=ada-token`;
      expect(codesOf(await ask(inUrl, '{ adminOnly }'))).toEqual(['adminOnly: UNAUTHENTICATED']);
      expect(world.ran).toEqual([]);
    });

    it('reads no token out of the body', async () => {
      const body = {
        query: '{ adminOnly }',
        authorization: 'Bearer ada-token',
        extensions: { authorization: 'Bearer ada-token', auth: { principal: { id: 'ada', roles: ['admin'] } } },
      };
      const answer = await post(url, body);
      expect(answer.text).not.toContain('the books');
      expect(world.ran).toEqual([]);
    });

    it('decides aliases, fragments and interfaces like the fields themselves', async () => {
      const query = `
        { a: adminOnly ...F node { id note ... on Account { other: note } ...N } }
        fragment F on Query { b: adminOnly ... on Query { c: adminOnly } }
        fragment N on Node { third: note }
      `;
      const answer = await ask(url, query, { as: 'vi' });
      const denied = ['a', 'b', 'c', 'node.note', 'node.other', 'node.third'].map((path) => `${path}: FORBIDDEN`);
      expect(codesOf(answer).sort()).toEqual(denied);
      expect(answer.text).not.toMatch(/the books|note of/);
    });

    it('does not run a mutation that is denied', async () => {
      expect(codesOf(await ask(url, 'mutation { publish }', { as: 'vi' }))).toEqual(['publish: FORBIDDEN']);
      expect(codesOf(await ask(url, 'mutation { publish }'))).toEqual(['publish: UNAUTHENTICATED']);
      expect(world.ran).toEqual([]);
      expect((await ask(url, 'mutation { publish bump }', { as: 'ed' })).body).toEqual({
        data: { publish: 2, bump: 1 },
      });
      expect(world.ran).toEqual(['publish', 'bump']);
    });

    it('keeps the text of an internal error inside', async () => {
      const answer = await ask(url, '{ hello fails }');
      expect(answer.status).toBe(200);
      expect(answer.body.data).toEqual({ hello: 'world', fails: null });
      expect(answer.body.errors).toEqual([
        expect.objectContaining({
          message: 'Internal server error',
          path: ['fails'],
          extensions: { code: 'INTERNAL_SERVER_ERROR' },
        }),
      ]);
      expect(answer.text).not.toMatch(/hunter2|stack|\.ts:|\.js:/);
      expect(world.errors).toEqual([expect.objectContaining({ message: SECRET })]);
    });

    it('keeps inside what a resolver throws in the likeness of an error of the host', async () => {
      const answer = await ask(url, '{ failsLikeHost }');
      expect(answer.status).toBe(200);
      expect(codesOf(answer)).toEqual(['failsLikeHost: INTERNAL_SERVER_ERROR']);
      expect(answer.text).not.toMatch(/hunter2|FST|418/);
    });

    it('leaves an error that is for clients as it is', async () => {
      const { body } = await ask(url, '{ refuses }');
      expect(body.errors).toEqual([
        expect.objectContaining({ message: 'Not found', path: ['refuses'], extensions: { code: 'NOT_FOUND' } }),
      ]);
      expect(world.errors).toEqual([]);
    });

    it('tells what login a resolver wants', async () => {
      const { body } = await ask(url, '{ wantsFreshLogin }', { as: 'vi' });
      expect(body.errors).toEqual([
        expect.objectContaining({
          message: 'A more recent or stronger login is required',
          path: ['wantsFreshLogin'],
          extensions: { code: 'UNAUTHENTICATED', error: 'insufficient_user_authentication', max_age: 900 },
        }),
      ]);
      expect(world.errors).toEqual([]);
    });

    it('takes a token with a proof of possession, and none of that scheme without', async () => {
      const authorization = 'DPoP vi-token';
      const answer = await ask(url, '{ posts }', { headers: { authorization, dpop: 'a.b.c' } });
      expect(answer.body).toEqual({ data: { posts: 'all of them' } });
      expect(world.callers.at(-1)?.dpop).toMatchObject({ proof: 'a.b.c', method: 'POST', url });
      const bare = await ask(url, '{ posts }', { headers: { authorization } });
      expect(bare.status).toBe(401);
      expect(bare.headers.get('www-authenticate')).toMatch(/^DPoP error="invalid_dpop_proof"/);
    });

    it('is 503, and nobody anonymous, when a token cannot be checked', async () => {
      world.breakDown(true);
      const answer = await ask(url, '{ hello me { id } }', { as: 'ada' });
      const without = await ask(url, '{ hello }');
      world.breakDown(false);
      expect(answer.status).toBe(503);
      expect(answer.text).not.toMatch(/hunter2|world|stack/);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect([without.status, without.body]).toEqual([200, { data: { hello: 'world' } }]);
      expect(world.ran).toEqual(['hello']);
      expect(world.errors).toHaveLength(1);
    });

    it('authenticates once for a request', async () => {
      const before = world.callers.length;
      await ask(url, '{ a: me { id } b: me { id } posts adminOnly }', { as: 'vi' });
      expect(world.callers.length - before).toBe(1);
    });

    it('never mixes callers up', async () => {
      const names = Array.from({ length: 50 }, (_, index) => `p${(index % 5) + 1}`);
      const answers = await Promise.all(names.map((as) => ask(url, '{ me { id name } hello adminOnly }', { as })));
      expect(answers.map(({ body }) => body.data.me.id)).toEqual(names);
      expect(answers.flatMap(codesOf)).toEqual(names.map(() => 'adminOnly: FORBIDDEN'));
    }, 120_000);

    it('tells resolvers the address, the user agent and an id of the request', async () => {
      const headers = { 'user-agent': 'probe/1', 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
      const answers = [
        await ask(url, '{ caller requestId }', { headers }),
        await ask(url, '{ caller requestId }', { headers, as: 'vi' }),
      ];
      expect(answers.map(({ body }) => body.data.caller)).toEqual(['127.0.0.1 probe/1', '127.0.0.1 probe/1']);
      const ids = new Set(answers.map(({ body }) => body.data.requestId));
      expect(ids.size).toBe(2);
      for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
    });

    it('has a context for each operation, and lets go of it', async () => {
      world.contexts.length = 0;
      for (const as of ['vi', 'vi', undefined]) await ask(url, '{ requestId posts }', { as });
      expect(new Set(world.contexts.map(({ principal }) => principal)).size).toBe(3);
      const signals = world.contexts.flatMap(({ signal }) => signal ?? []);
      expect(signals).toHaveLength(host.makesOwnContext === true ? 0 : 3);
      await until(() => signals.every(({ aborted }) => aborted));
    });

    it('refuses a batch', async () => {
      const answer = await post(url, [{ query: '{ hello }' }, { query: 'mutation { bump }' }], { as: 'ada' });
      expect(answer.status).toBe(host.pinned.batch);
      expect(world.ran).toEqual([]);
    });

    describe('requests that a form of another site could send', () => {
      it('does not run a mutation by GET', async () => {
        const answer = await get(url, 'mutation { bump }', { as: 'ada', headers: host.pinned.getHeaders ?? {} });
        expect(answer.status).toBe(host.pinned.mutationByGet);
        expect(world.ran).toEqual([]);
      });

      it('answers a GET of a content type for forms as the host does', async () => {
        const answer = await get(url, '{ hello adminOnly }', { headers: { 'content-type': 'text/plain' } });
        expect(answer.status).toBe(host.pinned.getAsText);
        expect(answer.text).not.toContain('the books');
      });

      it('runs no operation out of a body of text/plain', async () => {
        const answer = await post(
          url,
          { query: 'mutation { bump }' },
          { as: 'ada', headers: { 'content-type': 'text/plain' } },
        );
        expect(answer.status).toBe(host.pinned.postAsText);
        expect(world.ran).toEqual([]);
      });
    });

    describe('requests that are no good', () => {
      const bad = (name: string, status: number, request: () => Promise<Answer>): void => {
        it(`${name} is ${status}`, async () => {
          const answer = await request();
          expect(answer.status).toBe(status);
          expect(answer.text).not.toMatch(/stack|node_modules|\.[jt]s:\d/);
          expect(answer.body?.data ?? null).toBeNull();
          expect(world.ran).toEqual([]);
          expect(world.errors).toEqual([]);
        });
      };
      const { badJson, noQuery, syntax, unknownField, badVariable, codes = [] } = host.pinned;
      const [syntaxCode = 'BAD_USER_INPUT', fieldCode = 'BAD_USER_INPUT'] = codes;
      const headers = { accept: 'application/graphql-response+json' };
      bad('a body that is no JSON', badJson, () => post(url, '{"query":', { headers }));
      bad('a request without a query', noQuery, () => post(url, { variables: {} }, { headers }));
      bad('a syntax error', syntax, () => ask(url, '{ hello', { headers }));
      bad('an unknown field', unknownField, () => ask(url, '{ nothing }', { headers }));
      bad('a variable of another type', badVariable, () =>
        ask(url, 'query ($text: String!) { echo(text: $text) }', { variables: { text: ['x'] }, headers }),
      );

      it('say what is wrong with the document', async () => {
        expect((await ask(url, '{ nothing }')).body.errors).toEqual([
          expect.objectContaining({
            message: expect.stringContaining('Cannot query field "nothing"'),
            extensions: { code: fieldCode },
          }),
        ]);
        expect((await ask(url, '{ hello')).body.errors).toEqual([
          expect.objectContaining({
            message: expect.stringContaining('Syntax Error'),
            extensions: { code: syntaxCode },
          }),
        ]);
      });
    });

    it('runs a document again for somebody else with a decision of its own', async () => {
      const query = 'query ($text: String!) { adminOnly echo(text: $text) }';
      for (const [as, text] of [
        ['ada', 'a'],
        ['vi', 'b'],
        [undefined, 'c'],
        ['ada', 'd'],
      ] as const) {
        const { body } = await ask(url, query, { as, variables: { text } });
        expect(body.data).toEqual({ adminOnly: as === 'ada' ? 'the books' : null, echo: text });
      }
    });
  });

  const { startBatching } = host;
  if (startBatching === undefined) return;
  describe(`${host.name}: with batches on`, () => {
    const world = createWorld();
    let running: RunningHost;
    beforeAll(async () => {
      running = await startBatching(world);
    });
    afterAll(() => running.close());

    it('decides every operation of a batch', async () => {
      const batch = [{ query: '{ hello }' }, { query: '{ adminOnly }' }, { query: 'mutation { publish }' }];
      const { status, body } = await post(running.url, batch, { as: 'vi' });
      expect(status).toBe(200);
      expect(body.map(({ data }: { data: unknown }) => data)).toEqual([
        { hello: 'world' },
        { adminOnly: null },
        { publish: null },
      ]);
      expect(world.ran).toEqual(['hello']);
    });

    it('refuses the whole batch for a bad token', async () => {
      world.ran.length = 0;
      const headers = { authorization: 'Bearer no-such-token' };
      const answer = await post(running.url, [{ query: '{ hello }' }, { query: '{ hello }' }], { headers });
      expect(answer.status).toBe(401);
      expect(world.ran).toEqual([]);
    });
  });
}
