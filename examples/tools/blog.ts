import type { Authenticator } from 'doorward';
import { createPubSub } from 'graphql-yoga';

export type Role = 'viewer' | 'editor' | 'admin';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

export interface Post {
  readonly id: string;
  readonly title: string;
  /** For the author and for admins. */
  readonly note: string;
  authorId: string;
  published: boolean;
}

const users: readonly User[] = [
  { id: 'vi', name: 'Vi', email: 'vi@example.org', role: 'viewer' },
  { id: 'ed', name: 'Ed', email: 'ed@example.org', role: 'editor' },
  { id: 'al', name: 'Al', email: 'al@example.org', role: 'editor' },
  { id: 'ada', name: 'Ada', email: 'ada@example.org', role: 'admin' },
];

/** Users, posts and logins in memory: what both servers of a migration example are made for. */
export interface Blog {
  readonly users: readonly User[];
  readonly posts: Map<string, Post>;
  /** The ids of users by their token, which is the id with `-token` behind it. */
  readonly logins: Map<string, string>;
  /** How often somebody began to watch what is published. */
  watched: number;
  /** Whether the service that knows who is suspended cannot be reached. */
  isSuspensionDown: boolean;
  userOf(token: string | undefined): User | undefined;
  /** Who sent a request, as many servers find out: a token that is not good counts as none. */
  callerOf(request: Request): User | undefined;
  authenticate: Authenticator;
  isSuspended(userId: string): boolean;
  add(title: string, authorId: string): Post;
  publish(id: string): Post | undefined;
  handOver(id: string, to: string): Post | undefined;
  watch(): AsyncIterable<Post>;
}

/** Makes a blog with four users and two posts, of Ed and of Al. */
export function createBlog(): Blog {
  const published = createPubSub<{ post: [Post] }>();
  const posts = new Map<string, Post>();
  const logins = new Map(users.map(({ id }) => [`${id}-token`, id]));

  const blog: Blog = {
    users,
    posts,
    logins,
    watched: 0,
    isSuspensionDown: false,
    userOf: (token = '') => users.find(({ id }) => id === logins.get(token)),
    callerOf: ({ headers }) => blog.userOf(headers.get('authorization')?.replace(/^Bearer /, '')),
    authenticate(token) {
      const user = blog.userOf(token);
      return user === undefined
        ? { ok: false, reason: 'unknown' }
        : { ok: true, principal: { id: user.id, roles: [user.role], attributes: {} } };
    },
    isSuspended(userId) {
      if (blog.isSuspensionDown) throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
      return userId === 'al';
    },
    add(title, authorId) {
      const post = { id: `p${posts.size + 1}`, title, note: `Note on ${title}`, authorId, published: false };
      posts.set(post.id, post);
      return post;
    },
    publish(id) {
      const post = posts.get(id);
      if (post === undefined) return undefined;
      post.published = true;
      published.publish('post', post);
      return post;
    },
    handOver(id, to) {
      const post = posts.get(id);
      return post === undefined ? undefined : Object.assign(post, { authorId: to });
    },
    watch() {
      blog.watched += 1;
      return published.subscribe('post');
    },
  };
  blog.add('News', 'ed');
  blog.add('Plans', 'al');
  return blog;
}
