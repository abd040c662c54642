import { once } from 'node:events';
import { createServer } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { expressMiddleware } from '@as-integrations/express5';
import { apolloAuth } from 'doorward/use/apollo';
import express, { type NextFunction, type Request, type Response } from 'express';
import { describe, expect, it, vi } from 'vitest';
import { behaves, type Host, type RunningHost } from './behaviour.ts';
import { takesSockets } from './sockets.ts';
import { ask, closing, createWorld, post, SECRET, type World } from './support.ts';

interface HttpError {
  readonly status?: number;
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function apolloOf(world: World, allowBatchedHttpRequests = false) {
  const { schema, authenticate, environment, onError } = world;
  const auth = apolloAuth({ authenticate, environment, onError });
  const server = new ApolloServer({
    schema,
    formatError: auth.formatError,
    allowBatchedHttpRequests,
    // What a developer sees by default must not reach clients either.
    includeStacktraceInErrorResponses: true,
    introspection: true,
    stopOnTerminationSignals: false,
    logger: quiet,
  });
  return { auth, server };
}

async function startOnExpress(world: World, batching = false): Promise<RunningHost> {
  const { auth, server } = apolloOf(world, batching);
  await server.start();
  const app = express();
  app.use('/graphql', express.json(), expressMiddleware(server, { context: auth.context }));
  app.use(answerError);
  const listening = createServer(app);
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  return closing(listening, () => {
    auth.close();
    return server.stop();
  });
}

/** Express itself answers what a body parser throws with a stack trace, unless `NODE_ENV` is `production`. */
function answerError({ status = 500 }: HttpError, _request: Request, response: Response, _next: NextFunction): void {
  response.status(status).json({ error: 'Invalid request' });
}

async function startStandalone(world: World): Promise<RunningHost> {
  const { auth, server } = apolloOf(world);
  // Its Express prints stack traces otherwise, see above.
  vi.stubEnv('NODE_ENV', 'production');
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: auth.context,
  });
  return {
    url,
    async close() {
      auth.close();
      await server.stop();
      log.mockRestore();
      vi.unstubAllEnvs();
    },
  };
}

const pinned: Host['pinned'] = {
  // Apollo takes a GET only with a header that no form and no image can send.
  getHeaders: { 'apollo-require-preflight': 'yes' },
  getAsText: 400,
  mutationByGet: 405,
  postAsText: 400,
  batch: 400,
  badJson: 400,
  noQuery: 400,
  syntax: 400,
  unknownField: 400,
  badVariable: 400,
  codes: ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
};

const onExpress: Host = {
  name: 'Apollo Server on Express',
  start: (world) => startOnExpress(world),
  startBatching: (world) => startOnExpress(world, true),
  pinned,
};

behaves(onExpress);
takesSockets(onExpress);
behaves({ name: 'Apollo Server, standalone', start: startStandalone, pinned });

describe('apolloAuth', () => {
  const authenticate = () => ({ ok: false, reason: 'unknown' }) as const;

  it.each([
    ['authenticate', {}],
    ['authenticates', { authenticate, authenticates: authenticate }],
    ['trustedProxies', { authenticate, trustedProxies: ['nowhere'] }],
  ])('refuses %s that cannot be meant', (field, options) => {
    expect(() => apolloAuth(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it('keeps the text of what fails before execution inside', async () => {
    const world = createWorld();
    const { auth, server } = apolloOf(world);
    const { url } = await startStandaloneServer(server, {
      listen: { port: 0, host: '127.0.0.1' },
      context: async (exchange) => {
        await auth.context(exchange);
        throw new Error(SECRET);
      },
    });
    const answer = await ask(url, '{ hello }');
    await server.stop();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/hunter2|stack/);
    expect(answer.body.errors[0].extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR' });
    expect(world.errors).toEqual([expect.objectContaining({ message: SECRET })]);
  });

  it('leaves the code by which a client learns to send a persisted query', async () => {
    const world = createWorld();
    const { url, close } = await startOnExpress(world);
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    const { body } = await post(url, { extensions });
    await close();
    expect(body.errors[0].extensions).toEqual({ code: 'PERSISTED_QUERY_NOT_FOUND' });
  });
});
