import diagnostics from 'node:diagnostics_channel';
import { DECISION_CHANNEL, type DecisionEvent } from 'doorward';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { eventually } from '../eventually.ts';
import { runningTime } from '../running-time.ts';
import { bearer, claimsOf, ids, type Service, startService } from './harness.ts';

let service: Service;
const clients: Client[] = [];
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose();
});
afterAll(() => service.close());

interface Watch {
  readonly events: Record<string, unknown>[];
  readonly closed: Promise<number>;
  until(done: () => boolean): Promise<void>;
}

/** Subscribes over a real socket and waits until the server has accepted it. */
async function watch(query: string, token?: string): Promise<Watch> {
  const events: Record<string, unknown>[] = [];
  let close: (code: number) => void = () => {};
  const closed = new Promise<number>((resolve) => {
    close = resolve;
  });
  const client = createClient({
    url: `${service.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    lazy: true,
    connectionParams: bearer(token),
    on: { closed: (event) => close((event as { code: number }).code) },
  });
  clients.push(client);
  let isDecided = false;
  const onDecision = (event: unknown) => {
    if ((event as DecisionEvent).point.startsWith('Subscription.')) isDecided = true;
  };
  diagnostics.subscribe(DECISION_CHANNEL, onDecision);
  client.subscribe(
    { query },
    { next: (event) => events.push(event as Record<string, unknown>), error: () => {}, complete: () => {} },
  );
  const until = (done: () => boolean) => eventually(() => expect(done()).toBe(true));
  let isClosed = false;
  void closed.then(() => {
    isClosed = true;
  });
  await until(() => isDecided || isClosed || events.length > 0);
  diagnostics.unsubscribe(DECISION_CHANNEL, onDecision);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { events, closed, until };
}

const POSTS = 'subscription { postPublished { title } }';

const createPost = async (title: string, as: 'editor' | 'admin' = 'editor', authorId?: string): Promise<string> => {
  const mutation = 'mutation($t: String!, $a: ID) { createPost(title: $t, content: "x", authorId: $a) { id } }';
  return (await service.graphql(mutation, await service.token(as), { t: title, a: authorId })).body.data.createPost.id;
};
const publish = async (id: string) =>
  service.graphql('mutation($id: ID!) { publishPost(id: $id) { id } }', await service.token('editor'), { id });

describe('subscriptions over WebSocket', () => {
  it('postPublished delivers a post when it is published, once', async () => {
    const viewer = await watch(
      'subscription { postPublished { id title published author { id } } }',
      await service.token('viewer'),
    );
    const id = await createPost('Live');
    await publish(id);
    await publish(id);
    await viewer.until(() => viewer.events.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(viewer.events).toEqual([
      { data: { postPublished: { id, title: 'Live', published: true, author: { id: ids.editor } } } },
    ]);
  });

  it('postPublished(authorId) delivers the posts of that author only', async () => {
    const query = `subscription { postPublished(authorId: "${ids.admin}") { title } }`;
    const viewer = await watch(query, await service.token('viewer'));
    await publish(await createPost('Of the editor'));
    await publish(await createPost('Of the admin', 'admin'));
    await viewer.until(() => viewer.events.length > 0);
    expect(viewer.events).toEqual([{ data: { postPublished: { title: 'Of the admin' } } }]);
  });

  it('an event that the subscriber may not see is not delivered', async () => {
    const query = 'subscription { postCreated { title } }';
    const [viewer, editor] = [
      await watch(query, await service.token('viewer')),
      await watch(query, await service.token('editor')),
    ];
    await createPost('Hidden draft');
    await createPost('Own draft', 'admin', ids.viewer);
    await editor.until(() => editor.events.length === 2);
    await viewer.until(() => viewer.events.length > 0);
    expect(viewer.events).toEqual([{ data: { postCreated: { title: 'Own draft' } } }]);
  });

  it('userCreated needs manage_users', async () => {
    const query = 'subscription { userCreated { name } }';
    const [viewer, admin] = [
      await watch(query, await service.token('viewer')),
      await watch(query, await service.token('admin')),
    ];
    await service.graphql(
      'mutation { createUser(name: "Event", email: "e@example.org") { id } }',
      await service.token('admin'),
    );
    await admin.until(() => admin.events.length > 0);
    expect(admin.events).toEqual([{ data: { userCreated: { name: 'Event' } } }]);
    expect(JSON.stringify(viewer.events)).toContain('FORBIDDEN');
    expect(JSON.stringify(viewer.events)).not.toContain('Event');
  });

  it('without a token a guarded subscription is UNAUTHENTICATED and gets no event', async () => {
    const anonymous = await watch('subscription { postPublished { title } }');
    await publish(await createPost('Not for everybody'));
    await anonymous.until(() => anonymous.events.length > 0);
    expect(JSON.stringify(anonymous.events)).toContain('UNAUTHENTICATED');
    expect(JSON.stringify(anonymous.events)).not.toContain('Not for everybody');
  });

  it('an invalid token closes the socket with 4403', async () => {
    expect(await (await watch('subscription { postPublished { title } }', 'invalid')).closed).toBe(4403);
  });

  it('a lost permission ends the events at once', async () => {
    const { token, id } = await service.newcomer();
    const newcomer = await watch('subscription { postPublished { title } }', token);
    await publish(await createPost('While allowed'));
    await newcomer.until(() => newcomer.events.length === 1);
    await service.fetch(`/api/users/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...bearer(await service.token('admin')) },
      body: '{"roles":[]}',
    });
    await publish(await createPost('After the loss'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(JSON.stringify(newcomer.events)).not.toContain('After the loss');
  });

  it('the socket closes with 4403 when the account is disabled or removed', async () => {
    for (const end of ['disable', 'remove']) {
      const { token, id } = await service.newcomer();
      const newcomer = await watch('subscription { postPublished { title } }', token);
      const headers = { 'content-type': 'application/json', ...bearer(await service.token('admin')) };
      if (end === 'disable')
        await service.fetch(`/api/users/${id}`, { method: 'PATCH', headers, body: '{"disabled":true}' });
      else await service.fetch(`/api/users/${id}`, { method: 'DELETE', headers });
      expect(await newcomer.closed, end).toBe(4403);
    }
  });

  it('the socket closes with 4403 when its login ends, and those of other logins go on', async () => {
    const { token, username, password } = await service.newcomer();
    const other = (await service.postJson('/login', { username, password })).body.access_token;
    const [ended, kept] = [await watch(POSTS, token), await watch(POSTS, other)];
    await service.fetch('/logout', { method: 'POST', headers: bearer(token) });
    expect(await ended.closed).toBe(4403);
    await publish(await createPost('After the logout'));
    await kept.until(() => kept.events.length === 1);
  });

  it('the socket closes with 4403 when the token expires', async () => {
    const short = await startService({ ACCESS_TOKEN_SECONDS: '2' });
    const { token } = await short.newcomer();
    const left = claimsOf(token).exp * 1_000 - Date.now();
    const closed = new Promise<number>((resolve) => {
      const client = createClient({
        url: `${short.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        lazy: false,
        onNonLazyError: () => {},
        connectionParams: bearer(token),
        on: { closed: (event) => resolve((event as { code: number }).code) },
      });
      clients.push(client);
    });
    let code: number | undefined;
    const spent = await runningTime(async () => {
      code = await closed;
    });
    expect(code).toBe(4403);
    expect(spent).toBeLessThanOrEqual(left + 2_000);
    await short.close();
  });
});
