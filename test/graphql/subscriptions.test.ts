import type { Principal } from 'doorward';
import type { AuthContext } from 'doorward/graphql';
import { type ExecutionResult, execute, parse, subscribe } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { admin, answerOf, principal, protectedSchema, viewer } from './support.ts';

/** A source of events that can be pushed to and that tells what became of it. */
function source() {
  const queue: unknown[] = [];
  const waiting: ((result: IteratorResult<unknown>) => void)[] = [];
  const state = { started: 0, returned: 0, thrown: [] as unknown[] };
  const iterator: AsyncIterableIterator<unknown> = {
    next: () => {
      if (queue.length > 0) return Promise.resolve({ done: false, value: queue.shift() });
      return new Promise((resolve) => waiting.push(resolve));
    },
    return: async () => {
      state.returned += 1;
      for (const settle of waiting.splice(0)) settle({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
    throw: async (error) => {
      state.thrown.push(error);
      throw error;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  const push = (event: unknown): void => {
    const settle = waiting.shift();
    if (settle === undefined) queue.push(event);
    else settle({ done: false, value: event });
  };
  const start = () => {
    state.started += 1;
    return iterator;
  };
  return { state, push, waiting, iterator, start };
}

type Events = AsyncGenerator<ExecutionResult, void, void>;

const typeDefs = `
  type Query { a: Int }
  type Post { id: ID authorId: ID }
  type Subscription {
    posted: Post @auth(permissions: ["read"])
    own(authorId: ID): Post @auth(owner: "authorId")
    seen: Post @auth(permissions: ["read"]) @auth(rule: { any: [{ permission: "update" }, { owner: "authorId" }] }, from: RESULT, onDeny: FILTER)
    strict: Post @auth(owner: "authorId", from: RESULT)
    many: [Post] @auth(owner: "authorId", from: RESULT, onDeny: FILTER)
    open: Int
    limited(n: Int @auth(permissions: ["update"])): Int
  }
`;

interface Started {
  readonly events: ReturnType<typeof source>;
  readonly auth: AuthContext;
  readonly result: Events | ExecutionResult;
}

interface Parts {
  readonly onError?: (error: unknown) => void;
  /** What a field has beside its source, by its name. */
  readonly [field: string]: object | undefined;
}

async function start(document: string, auth: Partial<AuthContext> = {}, parts: Parts = {}): Promise<Started> {
  const events = source();
  const context: AuthContext = { principal: viewer, environment: () => ({ time: 0 }), ...auth };
  const fields = ['posted', 'own', 'seen', 'strict', 'many', 'open', 'limited'];
  const Subscription = Object.fromEntries(fields.map((name) => [name, { subscribe: events.start, ...parts[name] }]));
  const { onError = () => {} } = parts;
  const schema = protectedSchema(typeDefs, { Subscription }, { onError, policyTimeoutMs: 50 });
  const result = await subscribe({ schema, document: parse(document), contextValue: { auth: context } });
  return { events, auth: context, result: result as Events | ExecutionResult };
}

function streamOf({ result }: Started): Events {
  if (!(Symbol.asyncIterator in result)) throw new Error(JSON.stringify(result));
  return result;
}

const post = (authorId: string, id = 1) => ({
  posted: { id, authorId },
  own: { id, authorId },
  seen: { id, authorId },
  strict: { id, authorId },
});
const next = async (stream: Events) => {
  const { value, done } = await stream.next();
  return done ? 'done' : answerOf(value as ExecutionResult);
};

describe('DIR-16 before the source starts', () => {
  test.each<[string, string, Principal | undefined, string]>([
    ['a permission', 'subscription { posted { id } }', principal('x'), 'posted: FORBIDDEN'],
    ['anonymous', 'subscription { posted { id } }', undefined, 'posted: UNAUTHENTICATED'],
    ['an argument', 'subscription { own(authorId: "x") { id } }', viewer, 'own: FORBIDDEN'],
    ['a guarded argument', 'subscription { limited(n: 1) }', viewer, 'limited: FORBIDDEN'],
    ['anonymous, filtered', 'subscription { seen { id } }', undefined, 'seen: UNAUTHENTICATED'],
  ])('a denial (%s) keeps it from starting', async (_, document, who, error) => {
    const { result, events } = await start(document, { principal: who });
    expect(answerOf(result as ExecutionResult).errors).toEqual([error]);
    expect(events.state.started).toBe(0);
  });

  test('an allowed one starts it once', async () => {
    const started = await start('subscription { posted { id } }');
    started.events.push(post('x'));
    expect(await next(streamOf(started))).toMatchObject({ data: { posted: { id: '1' } }, errors: [] });
    expect(started.events.state.started).toBe(1);
  });

  test('one without rules keeps the function it had', () => {
    const subscribe = () => source().iterator;
    const schema = protectedSchema(typeDefs, { Subscription: { open: { subscribe } } });
    const fields = schema.getSubscriptionType()?.getFields();
    expect(fields?.open?.subscribe).toBe(subscribe);
    expect(fields?.open?.resolve).toBeUndefined();
  });

  test('a subscription that is executed like a query is guarded too', async () => {
    const schema = protectedSchema(typeDefs);
    const contextValue = { auth: { principal: principal('x'), environment: () => ({ time: 0 }) } };
    const result = await execute({
      schema,
      document: parse('subscription { posted { id } }'),
      rootValue: post('SECRET', 5),
      contextValue,
    });
    expect(answerOf(result).errors).toEqual(['posted: FORBIDDEN']);
  });
});

describe('row 9 before every event', () => {
  test('the caller is authenticated anew, and rules are decided anew', async () => {
    const seen: (Principal | undefined)[] = [{ ...viewer }, { ...viewer, roles: [] }];
    const started = await start('subscription { posted { id } }', { reauthenticate: () => seen.shift() });
    const stream = streamOf(started);
    started.events.push(post('x'));
    expect(await next(stream)).toMatchObject({ errors: [] });
    started.events.push(post('SECRET'));
    expect(await next(stream)).toBe('done');
    expect(started.events.state.returned).toBe(1);
    expect(await next(stream)).toBe('done');
  });

  test('nothing is remembered, even where the same principal object comes back', async () => {
    const roles = ['viewer'];
    const who = { ...viewer, roles };
    for (const auth of [{ principal: who }, { principal: who, reauthenticate: () => who }]) {
      roles.splice(0, 1, 'viewer');
      const started = await start('subscription { posted { id } }', auth);
      started.events.push(post('x'));
      expect(await next(streamOf(started))).toMatchObject({ errors: [] });
      roles.splice(0);
      started.events.push(post('SECRET'));
      expect(await next(streamOf(started))).toBe('done');
    }
  });

  test('the fields of the event are decided for the principal of now', async () => {
    const fresh = { ...admin, id: viewer.id };
    const started = await start('subscription { posted { id } }', { reauthenticate: async () => fresh });
    started.events.push(post('x'));
    await next(streamOf(started));
    expect(started.auth.principal).toBe(fresh);
  });

  test.each<[string, AuthContext['reauthenticate']]>([
    ['is gone', () => undefined],
    ['is gone, as it turns out later', async () => undefined],
    ['is someone else', () => ({ ...admin })],
    [
      'cannot be found out',
      () => {
        throw new Error('store is down');
      },
    ],
    ['cannot be found out later', () => Promise.reject(new Error('store is down'))],
  ])('the stream ends when the caller %s', async (_, reauthenticate) => {
    const started = await start('subscription { posted { id } }', reauthenticate && { reauthenticate });
    started.events.push(post('SECRET'));
    expect(await next(streamOf(started))).toBe('done');
    expect(started.events.state.returned).toBe(1);
  });

  test('the stream ends when the caller cannot be found out in time', async () => {
    const started = await start('subscription { posted { id } }', { reauthenticate: () => new Promise(() => {}) });
    started.events.push(post('SECRET'));
    expect(await next(streamOf(started))).toBe('done');
  });

  test('a host that takes away the principal ends the stream', async () => {
    const started = await start('subscription { posted { id } }');
    started.auth.principal = undefined;
    started.events.push(post('SECRET'));
    expect(await next(streamOf(started))).toBe('done');
  });

  test('an open field with a guarded argument serves anonymous callers', async () => {
    const started = await start('subscription { limited }', { principal: undefined, reauthenticate: () => undefined });
    started.events.push({ limited: 1 });
    expect(await next(streamOf(started))).toMatchObject({ data: { limited: 1 }, errors: [] });
  });
});

describe('from: RESULT on a subscription', () => {
  test('FILTER does not deliver what the subscriber may not see', async () => {
    const started = await start('subscription { seen { id } }');
    const stream = streamOf(started);
    started.events.push(post('SECRET', 1));
    started.events.push(post('v1', 2));
    started.events.push(post('SECRET', 3));
    started.events.push(post('v1', 4));
    expect(await next(stream)).toMatchObject({ data: { seen: { id: '2' } }, errors: [] });
    expect(await next(stream)).toMatchObject({ data: { seen: { id: '4' } }, errors: [] });
  });

  test('FILTER looks at what the field resolves to, not at the event', async () => {
    const resolve = async ({ ref }: { ref: string }) => ({ id: ref, authorId: ref === 'mine' ? 'v1' : 'x' });
    const started = await start('subscription { seen { id } }', {}, { seen: { resolve } });
    started.events.push({ ref: 'SECRET' });
    started.events.push({ ref: 'mine' });
    expect(await next(streamOf(started))).toMatchObject({ data: { seen: { id: 'mine' } }, errors: [] });
  });

  test('FILTER delivers the error of a resolver', async () => {
    const resolve = () => {
      throw new Error('broken');
    };
    const started = await start('subscription { seen { id } }', {}, { seen: { resolve } });
    started.events.push({});
    expect(await next(streamOf(started))).toMatchObject({ data: { seen: null }, errors: ['seen: broken'] });
  });

  test('FILTER where an event cannot be left out, in an execution of its own, is an error', async () => {
    const schema = protectedSchema(typeDefs);
    const contextValue = { auth: { principal: viewer, environment: () => ({ time: 0 }) } };
    const document = parse('subscription { seen { id } }');
    const result = await execute({ schema, document, rootValue: post('SECRET'), contextValue });
    expect(answerOf(result)).toMatchObject({ data: { seen: null }, errors: ['seen: FORBIDDEN'] });
  });

  test('FILTER in a list leaves out the items', async () => {
    const started = await start('subscription { many { id } }');
    started.events.push({
      many: [
        { id: 1, authorId: 'x' },
        { id: 2, authorId: 'v1' },
      ],
    });
    expect(await next(streamOf(started))).toMatchObject({ data: { many: [{ id: '2' }] }, errors: [] });
  });

  test('ERROR delivers an error in the place of the event', async () => {
    const started = await start('subscription { strict { id } }');
    started.events.push(post('x'));
    started.events.push(post('v1'));
    expect(await next(streamOf(started))).toMatchObject({ data: { strict: null }, errors: ['strict: FORBIDDEN'] });
    expect(await next(streamOf(started))).toMatchObject({ errors: [] });
  });
});

describe('the stream', () => {
  test('WS-16 that is returned returns its source, and settles who waits for the next event', async () => {
    const started = await start('subscription { posted { id } }');
    const stream = streamOf(started);
    const pending = next(stream);
    await new Promise(setImmediate);
    expect(started.events.waiting).toHaveLength(1);
    await stream.return?.();
    expect(await pending).toBe('done');
    expect(started.events.state.returned).toBe(1);
    expect(started.events.waiting).toHaveLength(0);
  });

  test('settles who waits even where the source is a generator that waits itself', async () => {
    const never = async function* () {
      await new Promise(() => {});
      yield 1;
    };
    const schema = protectedSchema(typeDefs, { Subscription: { posted: { subscribe: never } } });
    const field = schema.getSubscriptionType()?.getFields().posted;
    const context = { auth: { principal: viewer, environment: () => ({ time: 0 }) } };
    const stream = (await field?.subscribe?.(undefined, {}, context, {} as never)) as AsyncIterator<unknown>;
    const pending = stream.next();
    await new Promise(setImmediate);
    void stream.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test.each([[viewer], [undefined]])(
    'that ends while the caller is being authenticated delivers nothing more: %#',
    async (who) => {
      let answer = (_: Principal | undefined): void => {};
      const reauthenticate = () =>
        new Promise<Principal | undefined>((resolve) => {
          answer = resolve;
        });
      const started = await start('subscription { posted { id } }', { reauthenticate });
      const stream = streamOf(started);
      const pending = next(stream);
      started.events.push(post('SECRET'));
      await new Promise(setImmediate);
      await stream.return?.();
      answer(who);
      expect(await pending).toBe('done');
      await new Promise(setImmediate);
      expect(started.events.state.returned).toBe(1);
    },
  );

  test('keeps the order of events for a consumer that does not wait', async () => {
    const started = await start('subscription { seen { id } }');
    const stream = streamOf(started);
    const all = Promise.all([next(stream), next(stream), next(stream)]);
    for (const [index, author] of ['v1', 'x', 'v1', 'x', 'v1'].entries()) started.events.push(post(author, index));
    expect(await all).toMatchObject([
      { data: { seen: { id: '0' } } },
      { data: { seen: { id: '2' } } },
      { data: { seen: { id: '4' } } },
    ]);
  });

  test('ends with its source, and passes on its errors', async () => {
    const fails = async function* () {
      yield post('x');
      throw new Error('broker is gone');
    };
    const started = await start('subscription { posted { id } }', {}, { posted: { subscribe: fails } });
    const stream = streamOf(started);
    await next(stream);
    await expect(stream.next()).rejects.toThrow('broker is gone');
    const ended = await start('subscription { posted { id } }', {}, { posted: { subscribe: async function* () {} } });
    expect(await next(streamOf(ended))).toBe('done');
  });

  test('passes a throw on to its source', async () => {
    const started = await start('subscription { posted { id } }');
    const stream = streamOf(started);
    await expect(stream.throw?.(new Error('stop'))).rejects.toThrow('stop');
    expect(started.events.state.thrown).toHaveLength(1);
  });

  test('a source that fails while it is being ended is told to the host only', async () => {
    const told: string[] = [];
    const stubborn: AsyncIterableIterator<unknown> = {
      next: async () => ({ done: false, value: post('SECRET') }),
      return: () => Promise.reject(new Error('cannot stop')),
      [Symbol.asyncIterator]: () => stubborn,
    };
    const onError = (error: unknown) => told.push((error as Error).message);
    const started = await start(
      'subscription { posted { id } }',
      { reauthenticate: () => undefined },
      { posted: { subscribe: () => stubborn }, onError },
    );
    expect(await next(streamOf(started))).toBe('done');
    await new Promise(setImmediate);
    expect(told).toEqual(['cannot stop']);
  });

  test('of a login that ends is returned at once, while its source waits', async () => {
    const login = new AbortController();
    const started = await start('subscription { posted { id } }', { signal: login.signal });
    const pending = next(streamOf(started));
    await new Promise(setImmediate);
    login.abort();
    expect(started.events.state.returned).toBe(1);
    expect(await pending).toBe('done');
    await streamOf(started).return?.();
    expect(started.events.state.returned).toBe(1);
  });

  test('of a login that ends while an event is judged delivers nothing more', async () => {
    const login = new AbortController();
    const reauthenticate = () => {
      login.abort();
      return viewer;
    };
    const started = await start('subscription { posted { id } }', { signal: login.signal, reauthenticate });
    started.events.push(post('SECRET'));
    expect(await next(streamOf(started))).toBe('done');
    expect(started.events.state.returned).toBe(1);
  });

  test('of a login that has ended is not started, and one that ends meanwhile is returned', async () => {
    const over = await start('subscription { posted { id } }', { signal: AbortSignal.abort() });
    expect(answerOf(over.result as ExecutionResult).errors).toEqual(['posted: UNAUTHENTICATED']);
    expect(over.events.state.started).toBe(0);
    const login = new AbortController();
    const events = source();
    const subscribe = async () => {
      login.abort();
      return events.start();
    };
    const late = await start('subscription { posted { id } }', { signal: login.signal }, { posted: { subscribe } });
    expect(await next(streamOf(late))).toBe('done');
    expect(events.state.returned).toBe(1);
  });

  test('listens to its login no longer than it lasts', async () => {
    const { signal } = new AbortController();
    const listening = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    const started = await start('subscription { posted { id } }', { signal });
    await streamOf(started).return?.();
    expect(listening.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  test('is asked of what is none by the executor, as ever', async () => {
    const outcome = await start('subscription { posted { id } }', {}, { posted: { subscribe: () => 5 } }).catch(String);
    expect(typeof outcome === 'string' ? outcome : JSON.stringify(outcome.result)).toContain(
      'must return Async Iterable',
    );
  });

  test('WS-16 leaves nothing behind after 200 subscriptions', async () => {
    let open = 0;
    const counted = () => {
      const events = source();
      open += 1;
      const done = events.iterator.return;
      events.iterator.return = async () => {
        open -= 1;
        return (await done?.()) ?? { done: true, value: undefined };
      };
      return events.iterator;
    };
    for (let i = 0; i < 200; i++) {
      const started = await start('subscription { posted { id } }', {}, { posted: { subscribe: counted } });
      const stream = streamOf(started);
      const pending = next(stream);
      await stream.return?.();
      expect(await pending).toBe('done');
    }
    expect(open).toBe(0);
  }, 120_000);
});
