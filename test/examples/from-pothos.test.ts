import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStream } from '../hosts/sse.ts';
import { ask, until } from '../hosts/support.ts';
import { answersAlike, outcome, type Sides, start } from './migration.ts';

let sides: Sides;
beforeEach(async () => {
  sides = await start('from-pothos');
});
afterEach(() => sides.close());

describe('from the scope auth plugin of Pothos', () => {
  it.each(['before', 'after'])('%s.ts has less than 120 lines', (name) => {
    expect(readFileSync(`examples/from-pothos/${name}.ts`, 'utf8').split('\n').length).toBeLessThan(120);
  });

  answersAlike(
    () => sides,
    [
      '{ hello }',
      '{ __typename posts { id authorId } }',
      '{ hello users { id email } }',
      '{ other: users { id } mine: posts { id } }',
      'mutation { createPost(title: "By Ed", authorId: "ed") { id authorId } }',
      'mutation { createPost(title: "By Al", authorId: "al") { id authorId } }',
      'mutation { publishPost(id: "p1") { id authorId } }',
      'mutation { publishPost(id: "p2") { id authorId } }',
      'mutation { handOver(id: "p1", to: "vi") { authorId } }',
    ],
  );

  it('a field that is declared again keeps the rule of its interface, which was gone before', async () => {
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

  it('a mutation decides on what the one before it left, where a scope was remembered before', async () => {
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
    const before = await openStream(sides.before.url, query);
    await until(() => sides.before.blog.watched === 1);
    before.abort();
    const after = await openStream(sides.after.url, query);
    await after.ended;
    expect(sides.after.blog.watched).toBe(0);
  });

  it('a subscription ends with its login, where it went on before', async () => {
    const query = 'subscription { postPublished { id } }';
    const open = async (side: Sides['before']) => {
      const stream = await openStream(side.url, query, 'vi');
      await until(() => side.blog.watched === 1);
      side.blog.logins.delete('vi-token');
      side.blog.publish('p1');
      return stream;
    };
    const before = await open(sides.before);
    await until(() => before.received.length === 1);
    expect(before.received).toEqual([{ data: { postPublished: { id: 'p1' } } }]);
    before.abort();
    const after = await open(sides.after);
    await after.ended;
    expect(after.received).toEqual([]);
  });

  it('a stream ends at once when its caller is revoked', async () => {
    const stream = await openStream(sides.after.url, 'subscription { postPublished { id } }', 'vi');
    await until(() => sides.after.blog.watched === 1);
    sides.after.revoke('vi');
    await stream.ended;
    expect(stream.received).toEqual([]);
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

  it('denials have codes', async () => {
    const [before, after] = await Promise.all(
      [sides.before, sides.after].map(
        async ({ url }) => (await ask(url, '{ users { id } }', { as: 'vi' })).body.errors[0],
      ),
    );
    expect(before).toMatchObject({ message: 'Not authorized to resolve Query.users' });
    expect(before.extensions?.code).toBeUndefined();
    expect(after).toMatchObject({ message: 'Not authorized', extensions: { code: 'FORBIDDEN' } });
  });

  it('a token that is not good is refused, where it counted as none before', async () => {
    expect((await ask(sides.before.url, '{ hello }', { as: 'nobody' })).body).toEqual({ data: { hello: 'world' } });
    expect((await ask(sides.after.url, '{ hello }', { as: 'nobody' })).status).toBe(401);
  });
});
