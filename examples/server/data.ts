import { randomUUID } from 'node:crypto';
import { EventEmitter, on } from 'node:events';
import type { Database } from './database.ts';

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly createdAt: Date;
}

export interface Post {
  readonly id: string;
  readonly title: string;
  readonly content: string;
  readonly published: boolean;
  readonly authorId: string;
}

export interface Document {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly owner_id: string;
  readonly department: string;
  readonly sensitivity: string;
}

export interface Events {
  readonly postCreated: Post;
  readonly postPublished: Post;
  readonly userCreated: User;
}

const USER = 'id, name, email, created_at AS "createdAt"';
const POST = 'id, title, content, published, author_id AS "authorId"';

export type Data = ReturnType<typeof createData>;

/** Reads and writes users, posts and documents, and tells subscribers of what is new. It decides nothing. */
export function createData(db: Database) {
  const events = new EventEmitter({ captureRejections: true }).setMaxListeners(0);
  const rows = async <T>(text: string, values: unknown[] = []): Promise<T[]> => (await db.query<T>(text, values)).rows;
  const announce = <K extends keyof Events>(name: K, payload: Events[K] | undefined): Events[K] | undefined => {
    if (payload !== undefined) events.emit(name, payload);
    return payload;
  };

  return {
    user: async (id: string) => (await rows<User>(`SELECT ${USER} FROM users WHERE id = $1`, [id]))[0],
    users: (limit: number, offset: number) =>
      rows<User>(`SELECT ${USER} FROM users ORDER BY created_at, id LIMIT $1 OFFSET $2`, [limit, offset]),
    post: async (id: string) => (await rows<Post>(`SELECT ${POST} FROM posts WHERE id = $1`, [id]))[0],
    posts: () => rows<Post>(`SELECT ${POST} FROM posts ORDER BY created_at, id`),
    postsOf: (authorId: string) => rows<Post>(`SELECT ${POST} FROM posts WHERE author_id = $1 ORDER BY created_at, id`, [authorId]),
    document: async (id: string) => (await rows<Document>('SELECT * FROM documents WHERE id = $1', [id]))[0],

    async createUser(user: { id?: string; name: string; email: string }) {
      const values = [user.id ?? randomUUID(), user.name, user.email];
      return announce('userCreated', (await rows<User>(`INSERT INTO users (id, name, email) VALUES ($1, $2, $3) RETURNING ${USER}`, values))[0]);
    },
    async createPost(post: { id?: string; title: string; content: string; authorId: string }) {
      const insert = `INSERT INTO posts (id, title, content, author_id) SELECT $1, $2, $3, id FROM users WHERE id = $4 RETURNING ${POST}`;
      return announce('postCreated', (await rows<Post>(insert, [post.id ?? randomUUID(), post.title, post.content, post.authorId]))[0]);
    },
    async publishPost(id: string) {
      const [already] = await rows<Post>(`SELECT ${POST} FROM posts WHERE id = $1 AND published`, [id]);
      if (already !== undefined) return already;
      const update = `UPDATE posts SET published = true WHERE id = $1 AND NOT published RETURNING ${POST}`;
      return announce('postPublished', (await rows<Post>(update, [id]))[0]);
    },
    removePost: async (id: string) => (await rows('DELETE FROM posts WHERE id = $1 RETURNING id', [id])).length > 0,
    removeUser: async (id: string) => (await rows('DELETE FROM users WHERE id = $1 RETURNING id', [id])).length > 0,

    /** Events as they happen, from the call on; the listener goes when the iterator is returned. */
    subscribe<K extends keyof Events>(name: K): AsyncIterableIterator<Events[K]> {
      const source = on(events, name);
      const next = async (): Promise<IteratorResult<Events[K]>> => {
        const item = await source.next();
        return item.done ? item : { done: false, value: item.value[0] };
      };
      const stop = async () => {
        await source.return?.();
        return { done: true as const, value: undefined };
      };
      return { next, return: stop, throw: stop, [Symbol.asyncIterator]() { return this; } };
    },
  };
}
