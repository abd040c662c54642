import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { type Blog, createBlog } from '../../examples/tools/blog.ts';
import { ask, closing } from '../hosts/support.ts';

/** Both servers of a migration example, each on a socket and with a blog of its own. */
export interface Sides {
  readonly before: Side;
  readonly after: Side & { revoke(principalId: string): void };
  close(): Promise<void>;
}

interface Side {
  readonly url: string;
  readonly blog: Blog;
}

interface Example {
  createBefore(blog: Blog): RequestListener;
  createAfter(blog: Blog): {
    readonly app: RequestListener;
    readonly auth: { revoke(id: string): void; close(): void };
  };
}

async function listen(app: RequestListener, before?: () => void) {
  const server = createServer(app);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return closing(server, before);
}

/** Starts the servers in a folder of `examples`. */
export async function start(folder: string): Promise<Sides> {
  // By a name that only runs: the plugins of one example extend the types of whatever imports them.
  const load = (name: string) => import(`../../examples/${folder}/${name}.ts`);
  const { createBefore, createAfter }: Example = { ...(await load('before')), ...(await load('after')) };
  const blogs = { before: createBlog(), after: createBlog() };
  const { app, auth } = createAfter(blogs.after);
  const before = await listen(createBefore(blogs.before));
  const after = await listen(app, auth.close);
  return {
    before: { url: before.url, blog: blogs.before },
    after: { url: after.url, blog: blogs.after, revoke: auth.revoke },
    close: async () => {
      await Promise.all([before.close(), after.close()]);
    },
  };
}

/** What a client gets, without the words and codes of its errors. */
export interface Outcome {
  readonly data: unknown;
  readonly denied: readonly string[];
}

export async function outcome({ url }: Side, query: string, as: string | undefined): Promise<Outcome> {
  const { status, body } = await ask(url, query, as === undefined ? {} : { as });
  expect(status, query).toBe(200);
  const errors: readonly { path: readonly (string | number)[] }[] = body.errors ?? [];
  return { data: body.data, denied: errors.map(({ path }) => path.join('.')).sort() };
}

const callers = [undefined, 'vi', 'ed', 'al', 'ada'];

/** Sends the same requests as the same callers to both, in order, and wants the same answers. */
export function answersAlike(sides: () => Sides, queries: readonly string[]): void {
  it.each(callers)('answers as before, to %s', async (as) => {
    const { before, after } = sides();
    for (const query of queries) {
      const now = await outcome(after, query, as);
      expect(now, query).toEqual(await outcome(before, query, as));
    }
    expect([...after.blog.posts.values()]).toEqual([...before.blog.posts.values()]);
  });
}
