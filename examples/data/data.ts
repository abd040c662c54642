import { randomUUID } from 'node:crypto';
import { EventEmitter, on } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { DoorwardError } from 'doorward';

export type User = { id: string; name: string; email: string; createdAt: Date };
export type Post = { id: string; title: string; content: string; published: boolean; authorId: string };
export type Document = {
  id: string;
  title: string;
  body: string;
  owner_id: string;
  department: string;
  sensitivity: string;
};
export type Data = Awaited<ReturnType<typeof openData>>;

const TABLES = `
  CREATE TABLE IF NOT EXISTS users (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE IF NOT EXISTS posts (id text PRIMARY KEY, title text NOT NULL, content text NOT NULL,
    published boolean NOT NULL DEFAULT false, author_id text NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE IF NOT EXISTS documents (id text PRIMARY KEY, title text NOT NULL, body text NOT NULL,
    owner_id text NOT NULL, department text NOT NULL, sensitivity text NOT NULL);`;
const USER = 'id, name, email, created_at AS "createdAt"';
const POST = 'id, title, content, published, author_id AS "authorId"';

/** Users, posts and documents in an embedded PostgreSQL, and what is new among them. It decides nothing. */
export async function openData(dataDir: string) {
  const inMemory = dataDir === ':memory:';
  const unlock = inMemory ? () => {} : lock(dataDir);
  const db = await PGlite.create(inMemory ? {} : { dataDir: join(dataDir, 'pg') });
  await db.exec(TABLES);
  const events = new EventEmitter().setMaxListeners(0);
  const rows = async <T>(text: string, ...values: unknown[]) =>
    (await db.query<T>(text, values).catch(unavailable)).rows;
  const row = async <T>(text: string, ...values: unknown[]) => (await rows<T>(text, ...values))[0];
  const announce = <T>(payload: T, ...names: string[]): T => {
    if (payload !== undefined) for (const name of names) events.emit(name, payload);
    return payload;
  };
  const post = (id: string) => row<Post>(`SELECT ${POST} FROM posts WHERE id = $1`, id);

  return {
    db,
    close: () => db.close().finally(unlock),
    post,
    user: (id: string) => row<User>(`SELECT ${USER} FROM users WHERE id = $1`, id),
    users: (limit: number, offset: number) =>
      rows<User>(`SELECT ${USER} FROM users ORDER BY created_at, id LIMIT $1 OFFSET $2`, limit, offset),
    posts: () => rows<Post>(`SELECT ${POST} FROM posts ORDER BY created_at, id`),
    postsOf: (user: string) =>
      rows<Post>(`SELECT ${POST} FROM posts WHERE author_id = $1 ORDER BY created_at, id`, user),
    document: (id: string) => row<Document>('SELECT * FROM documents WHERE id = $1', id),
    async createUser(name: string, email: string, id: string = randomUUID()) {
      const insert = `INSERT INTO users (id, name, email) VALUES ($1, $2, $3) RETURNING ${USER}`;
      return announce(await row<User>(insert, id, name, email), 'userCreated');
    },
    /** @returns nothing when there is no such author. */
    async createPost(title: string, content: string, authorId: string) {
      const insert = `INSERT INTO posts (id, title, content, author_id) SELECT $1, $2, $3, id FROM users WHERE id = $4 RETURNING ${POST}`;
      return announce(await row<Post>(insert, randomUUID(), title, content, authorId), 'postCreated');
    },
    async publishPost(id: string) {
      const published = await row<Post>(
        `UPDATE posts SET published = true WHERE id = $1 AND NOT published RETURNING ${POST}`,
        id,
      );
      return announce(published, 'postPublished', `postPublished by ${published?.authorId}`) ?? post(id);
    },
    removePost: async (id: string) => (await row('DELETE FROM posts WHERE id = $1 RETURNING id', id)) !== undefined,
    removeUser: async (id: string) => (await row('DELETE FROM users WHERE id = $1 RETURNING id', id)) !== undefined,
    subscribe: (name: string) => on(events, name),
  };
}

function unavailable(cause: unknown): never {
  throw new DoorwardError('SERVICE_UNAVAILABLE', { cause });
}

/** Two servers must not share a folder, and PGlite does not see to it. */
function lock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'lock');
  if (existsSync(file) && isRunning(Number(readFileSync(file, 'utf8')))) {
    throw new DoorwardError('CONFIG_INVALID', { field: 'DATA_DIR', problem: 'is in use by another server' });
  }
  writeFileSync(file, String(process.pid));
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && pid !== process.pid && process.kill(pid, 0);
  } catch {
    return false;
  }
}
