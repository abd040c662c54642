import { readFileSync } from 'node:fs';
import { accessMatrix, type DryRunDenial, protectSchema } from 'doorward/graphql';
import { graphql } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { protectedSchema, protection } from '../../examples/from-graphql-shield/after.ts';
import { shieldedSchema } from '../../examples/from-graphql-shield/before.ts';
import { createBlog } from '../../examples/tools/blog.ts';
import { openStream } from '../hosts/sse.ts';
import { ask, until } from '../hosts/support.ts';
import { answersAlike, outcome, type Sides, start } from './migration.ts';

let sides: Sides;
beforeEach(async () => {
  sides = await start('from-graphql-shield');
});
afterEach(() => sides.close());

describe('from graphql-shield', () => {
  it.each(['before', 'after'])('%s.ts has less than 120 lines', (name) => {
    expect(readFileSync(`examples/from-graphql-shield/${name}.ts`, 'utf8').split('\n').length).toBeLessThan(120);
  });

  answersAlike(
    () => sides,
    [
      '{ hello }',
      '{ __typename posts { id title author { name } } }',
      '{ hello users { name email } }',
      '{ post(id: "p1") { title author { id email posts { id } } } }',
      '{ owned(id: "p2") { __typename authorId } }',
      '{ other: users { id } mine: posts { id } }',
      'mutation { createPost(title: "By Ed", authorId: "ed") { id title published } }',
      'mutation { createPost(title: "By Al", authorId: "al") { id title published } }',
      'mutation { publishPost(id: "p1") { id published } }',
      'mutation { publishPost(id: "p2") { id published } }',
      'mutation { handOver(id: "p1", to: "vi") { author { id } } }',
      'mutation { deletePost(id: "p2") }',
    ],
  );

  it('a rule on an interface guards its implementations, which it did not before', async () => {
    const query = '{ posts { note } }';
    expect(await outcome(sides.before, query, 'ed')).toEqual({
      data: { posts: [{ note: 'Note on News' }, { note: 'Note on Plans' }] },
      denied: [],
    });
    expect(await outcome(sides.after, query, 'ed')).toEqual({
      data: { posts: [{ note: 'Note on News' }, { note: null }] },
      denied: ['posts.1.note'],
    });
  });

  it('what cannot be decided below a not is denied, where it let through before', async () => {
    sides.before.blog.isSuspensionDown = true;
    sides.after.blog.isSuspensionDown = true;
    const query = 'mutation { createPost(title: "By Al", authorId: "al") { title } }';
    expect((await outcome(sides.before, query, 'al')).data).toEqual({ createPost: { title: 'By Al' } });
    expect(await outcome(sides.after, query, 'al')).toEqual({ data: { createPost: null }, denied: ['createPost'] });
  });

  it('a mutation decides on what the one before it left, where a cached rule answered before', async () => {
    const query = `mutation {
      first: publishPost(id: "p1") { id }
      handOver(id: "p1", to: "vi") { id }
      second: publishPost(id: "p1") { id }
    }`;
    expect((await outcome(sides.before, query, 'ed')).denied).toEqual([]);
    expect((await outcome(sides.after, query, 'ed')).denied).toEqual(['second']);
  });

  it('nobody is subscribed who may not, where the source started before', async () => {
    const query = 'subscription { postPublished { id } }';
    for (const side of [sides.before, sides.after]) {
      const stream = await openStream(side.url, query);
      if (side === sides.before) {
        await until(() => side.blog.watched === 1);
      } else {
        await stream.ended;
        expect(side.blog.watched).toBe(0);
      }
      stream.abort();
    }
  });

  it('a subscription ends with its login, where it went on before', async () => {
    const query = 'subscription { postPublished { id } }';
    for (const side of [sides.before, sides.after]) {
      const stream = await openStream(side.url, query, 'vi');
      await until(() => side.blog.watched === 1);
      side.blog.logins.delete('vi-token');
      side.blog.publish('p1');
      if (side === sides.before) {
        await until(() => stream.received.length === 1);
        expect(stream.received).toEqual([{ data: { postPublished: { id: 'p1' } } }]);
      } else {
        await stream.ended;
        expect(stream.received).toEqual([]);
      }
      stream.abort();
    }
  });

  it('a rule on a type denies the field that returns it, where the object was told of before', async () => {
    const query = '{ stats { __typename users } }';
    expect(await outcome(sides.before, query, 'vi')).toEqual({
      data: { stats: { __typename: 'Stats', users: null } },
      denied: ['stats.users'],
    });
    expect(await outcome(sides.after, query, 'vi')).toEqual({ data: { stats: null }, denied: ['stats'] });
    expect((await outcome(sides.after, query, 'ada')).data).toEqual((await outcome(sides.before, query, 'ada')).data);
  });

  it('errors of resolvers stay what they are, and denials have codes', async () => {
    const query = '{ post(id: "none") { id } users { id } }';
    const errors = async ({ url }: { url: string }, as?: string) =>
      (await ask(url, query, as === undefined ? {} : { as })).body.errors.map(
        ({ path, message, extensions }: { path: string[]; message: string; extensions?: { code?: string } }) =>
          `${path}: ${message} ${extensions?.code}`,
      );
    expect((await errors(sides.before, 'vi')).sort()).toEqual([
      'post: Not Authorised! undefined',
      'users: Not Authorised! undefined',
    ]);
    expect((await errors(sides.after, 'vi')).sort()).toEqual([
      'post: No such post NOT_FOUND',
      'users: Not authorized FORBIDDEN',
    ]);
    expect((await errors(sides.after)).sort()).toEqual([
      'post: Not authenticated UNAUTHENTICATED',
      'users: Not authenticated UNAUTHENTICATED',
    ]);
  });

  it('a token that is not good is refused, where it counted as none before', async () => {
    expect((await ask(sides.before.url, '{ hello }', { as: 'nobody' })).body).toEqual({ data: { hello: 'world' } });
    expect((await ask(sides.after.url, '{ hello }', { as: 'nobody' })).status).toBe(401);
  });
});

describe('on the way', () => {
  it('a dry run on the guarded schema tells what the new rules would deny, and changes nothing', async () => {
    const denials: string[] = [];
    const onDryRun = ({ coordinate, principal }: DryRunDenial) => denials.push(`${principal?.id}: ${coordinate}`);
    const both = protectSchema(shieldedSchema(), { ...protection, enforce: 'dry-run', onDryRun, onUnprotected() {} });
    const blog = createBlog();
    const user = blog.userOf('ed-token');
    const principal = { id: 'ed', roles: ['editor'], attributes: {} };
    const contextValue = { blog, user, auth: { principal, environment: () => ({ time: Date.now() }) } };
    const { data, errors } = await graphql({
      schema: both,
      source: '{ posts { id note } users { id } }',
      contextValue,
    });
    // What is told and still answered is what the two do not agree on.
    expect(JSON.parse(JSON.stringify(data?.posts))).toEqual([
      { id: 'p1', note: 'Note on News' },
      { id: 'p2', note: 'Note on Plans' },
    ]);
    expect(errors?.map(({ path }) => path)).toEqual([['users']]);
    expect(denials.sort()).toEqual(['ed: Post.note', 'ed: Query.users']);
  });

  it('the matrix says who may do what', async () => {
    const matrix = await accessMatrix(protectedSchema(), {
      roles: ['viewer', 'admin'],
      principals: { anyone: undefined },
    });
    expect(matrix).toMatchObject({
      'Query.hello': { viewer: 'allow', admin: 'allow', anyone: 'allow' },
      'Query.users': { viewer: 'deny', admin: 'allow', anyone: 'deny' },
      'Post.note': { viewer: 'conditional', admin: 'allow', anyone: 'deny' },
      'Mutation.deletePost': { viewer: 'deny', admin: 'deny', anyone: 'deny' },
    });
  });
});
