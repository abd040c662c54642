import { coverage, coverageAsMarkdown } from 'doorward/graphql';
import { describe, expect, test } from 'vitest';
import { build, protectedSchema } from './support.ts';

const typeDefs = `
  type Query {
    posts(drafts: Boolean @auth(requires: "editor")): [Post!] @auth(permissions: ["read"])
    me: User
    health: String @public
    legacy: Int
  }
  type Mutation { write(input: PostInput!): Int @auth(maxAge: 60, acr: ["aal2"]) }
  interface Owned @authenticated { owner: ID @auth(requires: "admin") }
  type Post implements Owned { owner: ID title: String }
  type User @auth(owner: "id") { id: ID mail: Mail @auth(roles: ["admin"], onDeny: NULL) }
  scalar Mail @auth(scopes: [["mail"]])
  input PostInput { title: String author: ID @auth(owner: "author") }
`;
const entries = (options = {}) => coverage(protectedSchema(typeDefs, {}, options));
const entry = (coordinate: string, options = {}) => entries(options).find((each) => each.coordinate === coordinate);

describe('coverage', () => {
  test('lists every field of every object type once, and the inputs that have rules', () => {
    const names = entries().map(({ coordinate }) => coordinate);
    expect(names).toEqual([
      'Mutation.write',
      'Post.owner',
      'Post.title',
      'PostInput.author',
      'Query.health',
      'Query.legacy',
      'Query.me',
      'Query.posts',
      'Query.posts(drafts:)',
      'User.id',
      'User.mail',
    ]);
    expect(JSON.parse(JSON.stringify(entries()))).toEqual(entries());
  });

  test('tells what no rule reaches, and what becomes of it', () => {
    const status = (coordinate: string, unprotected: 'allow' | 'deny') => entry(coordinate, { unprotected })?.status;
    expect(status('Query.legacy', 'allow')).toBe('unprotected');
    expect(status('Query.legacy', 'deny')).toBe('closed');
    expect(status('Query.health', 'allow')).toBe('public');
    expect(status('Query.health', 'deny')).toBe('public');
    expect(status('Query.me', 'deny')).toBe('guarded');
  });

  test('tells of each rule where it was written', () => {
    expect(entry('Query.posts')?.rules).toEqual([
      { rule: 'permission("read")', coordinate: 'Query.posts', via: 'FIELD', line: 3, onDeny: 'ERROR' },
      { rule: 'authenticated', coordinate: 'Owned', via: 'RETURN_TYPE', line: 9, onDeny: 'ERROR' },
    ]);
    expect(entry('Post.owner')?.rules).toEqual([
      { rule: 'authenticated', coordinate: 'Owned', via: 'INTERFACE', line: 9, onDeny: 'ERROR' },
      { rule: 'role("admin")', coordinate: 'Owned.owner', via: 'INTERFACE_FIELD', line: 9, onDeny: 'ERROR' },
    ]);
    expect(entry('User.mail')?.rules).toEqual([
      { rule: 'owner(id)', coordinate: 'User', via: 'TYPE', line: 11, from: 'PARENT', onDeny: 'ERROR' },
      { rule: 'role("admin")', coordinate: 'User.mail', via: 'FIELD', line: 11, onDeny: 'NULL' },
      { rule: 'scope("mail")', coordinate: 'Mail', via: 'RETURN_TYPE', line: 12, onDeny: 'ERROR' },
    ]);
    expect(entry('Query.posts(drafts:)')?.rules).toEqual([
      { rule: 'role("editor")', coordinate: 'Query.posts(drafts:)', via: 'ARGUMENT', line: 3, onDeny: 'ERROR' },
    ]);
    expect(entry('PostInput.author')?.rules).toMatchObject([{ rule: 'owner(author)', via: 'INPUT_FIELD' }]);
  });

  test('of the rules of a returned object, what entering it asks', () => {
    expect(entry('Query.me')?.rules).toEqual([
      { rule: 'authenticated', coordinate: 'User', via: 'RETURN_TYPE', line: 11, onDeny: 'ERROR' },
    ]);
  });

  test('a demand on the login is part of the rule', () => {
    expect(entry('Mutation.write')?.rules).toMatchObject([
      { rule: 'login({"maxAgeSeconds":60,"acrValues":["aal2"]})', coordinate: 'Mutation.write' },
    ]);
  });

  test('rules written in code have no line', () => {
    const { rules } = entry('Query.legacy', { rules: { 'Query.legacy': { requires: 'admin' } } }) ?? {};
    expect(rules).toEqual([{ rule: 'role("admin")', coordinate: 'Query.legacy', via: 'FIELD', onDeny: 'ERROR' }]);
  });

  test('a schema that is not protected has none', () => {
    expect(() => coverage(build(typeDefs))).toThrow('schema is not protected');
  });

  test('as Markdown for people', () => {
    const table = coverageAsMarkdown(entries().filter(({ coordinate }) => coordinate.startsWith('User.')));
    expect(table).toBe(
      [
        '| coordinate | status | rules |',
        '| --- | --- | --- |',
        '| User.id | guarded | owner(id) from PARENT (TYPE User, line 11) |',
        '| User.mail | guarded | owner(id) from PARENT (TYPE User, line 11); role("admin") or NULL (FIELD User.mail, line 11); scope("mail") (RETURN_TYPE Mail, line 12) |',
        '',
      ].join('\n'),
    );
  });

  test('what stands in a cell cannot end it', () => {
    const rules = [{ rule: 'scope("a|b\n\\")', coordinate: 'Q.x', via: 'FIELD', onDeny: 'ERROR' } as const];
    const table = coverageAsMarkdown([{ coordinate: 'Q.x', status: 'guarded', rules }]);
    expect(table.split('\n')[2]).toBe('| Q.x | guarded | scope("a\\|b \\\\") (FIELD Q.x) |');
  });
});
