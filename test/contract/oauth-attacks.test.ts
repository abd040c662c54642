import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { generatedSecret } from '../../examples/data/generated-key.ts';
import { readConfig } from '../../examples/server/config.ts';
import { bearer, ids, SECRET, startService } from './harness.ts';
import { basic, type Desk, openDesk, SECRET_OF_WEB } from './oauth-desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
}, 60_000);
afterAll(() => desk.close());

async function ownToken(scope?: string): Promise<string> {
  const { body } = await desk.token({ grant_type: 'client_credentials', scope }, basic('web', SECRET_OF_WEB));
  return body.access_token;
}

describe('a client that acts for itself', () => {
  it('is told its own name by the model, where people are told theirs', async () => {
    const headers = bearer(await ownToken());
    expect((await desk.fetch('/ml/predict', { headers })).body.user).toBe('client:web');
    const answer = await desk.postJson('/api/ml/predict', { input: 1 }, await ownToken());
    expect(answer.body.user).toBe('client:web');
  });

  it('owns nothing, writes in nobody’s name, and keeps no account', async () => {
    const token = await ownToken();
    const create = (author: string) => `mutation { createPost(title: "t", content: "c"${author}) { id } }`;
    const own = await desk.graphql(create(''), token);
    expect(own.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
    for (const author of [ids.admin, 'client:web']) {
      const other = await desk.graphql(create(`, authorId: "${author}"`), token);
      expect(other.body.data).toBeNull();
    }
    expect((await desk.postJson('/api/posts', { title: 't' }, token)).status).toBe(400);
    expect((await desk.postJson('/api/posts', { authorId: ids.admin }, token)).status).toBe(403);
    const { body } = await desk.graphql('{ users { email } }', token);
    for (const { email } of body.data.users) expect(email).toMatch(/^\*\*\*@/);
    for (const path of ['/me', '/account/sessions', '/account/consents', '/account/api-keys', '/account/totp']) {
      expect((await desk.fetch(path, { headers: bearer(token) })).status).toBe(403);
    }
    expect((await desk.fetch('/api/documents/doc-1', { headers: bearer(token) })).status).toBe(403);
  });

  it('is narrowed by its scopes in GraphQL and REST alike', async () => {
    const token = await ownToken('ml.predict');
    const published = await desk.graphql(`mutation { publishPost(id: "${ids.draftOfViewer}") { id } }`, token);
    expect(published.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect((await desk.postJson('/api/posts', {}, token)).status).toBe(403);
    expect((await desk.fetch(`/api/posts/${ids.published}`, { method: 'DELETE', headers: bearer(token) })).status).toBe(
      403,
    );
  });
});

/** Opens a socket with a token. @returns what happens to it first. */
function openSocket(token: string): { readonly acknowledged: Promise<unknown>; readonly closed: Promise<number> } {
  const socket = new WebSocket(`${desk.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: bearer(token) })));
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const acknowledged = new Promise<unknown>((resolve) =>
    socket.once('message', (text) => {
      const query = 'subscription { postPublished { title } }';
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
      resolve(JSON.parse(String(text)).type);
    }),
  );
  return { acknowledged, closed };
}

describe('an open socket', () => {
  const post = (path: string, fields: Record<string, string>) => desk.postForm(path, fields);
  it.each<[string, (given: { access_token: string; refresh_token: string }) => Promise<unknown>]>([
    [
      'its refresh token is revoked',
      (given) => post('/oauth/revoke', { client_id: 'spa', token: given.refresh_token }),
    ],
    [
      'the consent is taken back',
      async () =>
        desk.fetch('/account/consents/spa', { method: 'DELETE', headers: bearer(await desk.loginTokenOf('viewer')) }),
    ],
    [
      'its refresh token is used twice',
      async (given) => {
        const form = { grant_type: 'refresh_token', client_id: 'spa' };
        const next = (await desk.token({ ...form, refresh_token: given.refresh_token })).body.refresh_token;
        await desk.token({ ...form, refresh_token: next });
        return desk.token({ ...form, refresh_token: given.refresh_token });
      },
    ],
  ])('of an OAuth client is closed when %s', async (_, end) => {
    const { body } = await desk.grant({ scope: 'openid create' });
    const { acknowledged, closed } = openSocket(body.access_token);
    expect(await acknowledged).toBe('connection_ack');
    await end(body);
    expect(await closed).toBe(4403);
    const again = openSocket(body.access_token);
    expect(await again.closed).toBe(4403);
  });

  it('cannot be had with a token that is bound to a key: nobody would check the proof', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const htu = `${desk.url}/oauth/token`;
    const claims = { jti: randomUUID(), htm: 'POST', htu, iat: Math.floor(desk.clock.now / 1_000) };
    const jwk = publicKey.export({ format: 'jwk' });
    const proof = await new SignJWT(claims).setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk }).sign(privateKey);
    const headers = { ...basic('web', SECRET_OF_WEB), dpop: proof };
    const { body } = await desk.token({ grant_type: 'client_credentials' }, headers);
    expect(body.token_type).toBe('DPoP');
    expect(await openSocket(body.access_token).closed).toBe(4403);
  });
});

describe('the service', () => {
  it('sends nobody to 0.0.0.0, where no browser would go', async () => {
    const service = await startService({ HOST: '0.0.0.0' });
    try {
      const port = new URL(service.url).port;
      const { body } = await service.fetch('/.well-known/oauth-authorization-server');
      expect(body.issuer).toBe(`http://localhost:${port}`);
    } finally {
      await service.close();
    }
  });

  it.each(['http://api.internal:4000', 'ftp://localhost'])('refuses the BASE_URL %s by its name', (BASE_URL) => {
    const read = () => readConfig({ DATA_DIR: ':memory:', SIGNING_SECRET: SECRET, BASE_URL });
    expect(read).toThrow(/^BASE_URL must be https/);
    expect(() => readConfig({ NODE_ENV: 'production', SIGNING_SECRET: SECRET, BASE_URL })).not.toThrow();
  });

  it('keeps a generated secret for its owner alone, and leaves nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'doorward-'));
    try {
      const dataDir = join(folder, 'data');
      expect(generatedSecret(dataDir).kid).toBe(generatedSecret(dataDir).kid);
      expect(readdirSync(dataDir)).toEqual(['signing-secret']);
      expect(statSync(join(dataDir, 'signing-secret')).mode & 0o777).toBe(0o600);
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      expect(readFileSync(join(dataDir, 'signing-secret'), 'utf8')).toHaveLength(64);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
