import { generateKeyPairSync } from 'node:crypto';
import type { ClientCertificate } from 'doorward';
import type { Handler } from 'doorward/http';
import { createClientRegistry } from 'doorward/oauth';
import { privateKey } from 'doorward/tokens';
import { serve } from 'doorward/use/node';
import { exportJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ada, openAda } from '../mtls/open-ada.ts';
import { rawRequest, statusesOf } from '../use/support.ts';
import { createServer } from './oauth-support.ts';

const issuer = 'https://login.example.org';
const secret = 'Yk3vT8qLrW5nZ1xC7bM9pS2dF6gH4jK0';
const oddSecret = 'W5n+Z1x%:C7bM9=pS2&dF6gH4jK0qLrT8';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const as = { issuer, token_endpoint: `${issuer}/oauth/token` };
const common = { scope: 'create', grant_types: ['client_credentials'] } as const;

let ada: Ada;
let handler: Handler;
let signer: CryptoKeyPair;
beforeAll(async () => {
  ada = await openAda();
  signer = await oauth.generateKeyPair('ES256', { extractable: true });
  const clients = createClientRegistry([
    { ...common, client_id: 'basic', token_endpoint_auth_method: 'client_secret_basic', client_secret: secret },
    { ...common, client_id: 'odd', token_endpoint_auth_method: 'client_secret_basic', client_secret: oddSecret },
    { ...common, client_id: 'post', token_endpoint_auth_method: 'client_secret_post', client_secret: secret },
    {
      ...common,
      client_id: 'signer',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(signer.publicKey)) }] },
    },
    {
      ...common,
      client_id: 'tls',
      token_endpoint_auth_method: 'tls_client_auth',
      tls_client_auth_san_dns: 'billing.example.org',
    },
    {
      client_id: 'spa',
      token_endpoint_auth_method: 'none',
      redirect_uris: ['https://app.example.org/callback'],
      scope: 'create',
    },
  ]);
  ({ handler } = createServer({
    issuer,
    accounts: ada.accounts,
    clients,
    keys: { keys: [signing], active: signing },
  }));
});
const signing = privateKey(rsa.privateKey, { kid: 'k1' });
afterAll(() => ada.close());

interface Sent {
  readonly form?: Record<string, string>;
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

async function ask({ form = {}, authorization, certificate }: Sent) {
  const request = new Request(as.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
    ...(authorization !== undefined && { headers: { authorization } }),
  });
  const response = await handler(request, { requestId: 'r1', certificate });
  const { status, headers } = response;
  const challenge = headers.get('www-authenticate');
  return { status, challenge, cache: headers.get('cache-control'), body: await response.text() };
}

const basic = (id: string, password: string) => `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`;
const errorOf = ({ body }: { body: string }): unknown => JSON.parse(body).error;

describe('a client with its own credentials gets a token', () => {
  const viaHandler = async (url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) =>
    handler(new Request(url, { method: 'POST', headers: init.headers, body: init.body }), { requestId: 'r1' });

  it.each<[string, () => oauth.ClientAuth]>([
    ['basic', () => oauth.ClientSecretBasic(secret)],
    ['odd', () => oauth.ClientSecretBasic(oddSecret)],
    ['post', () => oauth.ClientSecretPost(secret)],
    ['signer', () => oauth.PrivateKeyJwt(signer.privateKey)],
  ])('as oauth4webapi sends those of %s', async (client_id, authentication) => {
    const client = { client_id };
    const options = { [oauth.customFetch]: viaHandler };
    const response = await oauth.clientCredentialsGrantRequest(as, client, authentication(), {}, options);
    const result = await oauth.processClientCredentialsResponse(as, client, response);
    expect(result.token_type).toBe('bearer');
  });

  it('with its certificate', async () => {
    const certificate = {
      thumbprint: 'A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0',
      subject: { CN: 'billing' },
      names: ['DNS:billing.example.org'],
      notAfter: Date.now() + 60_000,
    };
    expect((await ask({ form: { client_id: 'tls' }, certificate })).status).toBe(200);
    expect((await ask({ form: { client_id: 'tls' } })).status).toBe(401);
  });
});

describe('nobody else does', () => {
  it.each<[string, Sent]>([
    ['OAU-18 bad base64', { authorization: 'Basic ###' }],
    ['OAU-18 no colon', { authorization: `Basic ${Buffer.from('basic').toString('base64')}` }],
    ['OAU-18 a wrong secret', { authorization: basic('basic', 'x'.repeat(32)) }],
    ['OAU-18 an unknown client', { authorization: basic('nobody', secret) }],
    ['OAU-19 a public client with a secret in the header', { authorization: basic('spa', secret) }],
    ['a client registered for the body', { authorization: basic('post', secret) }],
  ])('%s: 401 with a challenge, all alike', async (_name, sent) => {
    expect(await ask(sent)).toEqual({
      status: 401,
      challenge: `Basic realm="${issuer}"`,
      cache: 'no-store',
      body: '{"error":"invalid_client","error_description":"Client authentication failed"}',
    });
  });

  it.each<[string, Sent]>([
    ['OAU-19 a public client with a secret', { form: { client_id: 'spa', client_secret: secret } }],
    ['OAU-20 only the id of a confidential client', { form: { client_id: 'post' } }],
    ['OAU-20 the same and a verifier', { form: { client_id: 'post', code_verifier: 'v'.repeat(43) } }],
    ['a wrong secret', { form: { client_id: 'post', client_secret: 'x'.repeat(32) } }],
    ['an unknown client', { form: { client_id: 'nobody', client_secret: secret } }],
    ['nothing', {}],
  ])('%s: 401 without a challenge, all alike', async (_name, sent) => {
    expect(await ask(sent)).toEqual({
      status: 401,
      challenge: null,
      cache: 'no-store',
      body: '{"error":"invalid_client","error_description":"Client authentication failed"}',
    });
  });

  it.each<[string, Sent]>([
    ['OAU-18 two ids', { authorization: basic('basic', secret), form: { client_id: 'post' } }],
    ['OAU-19 two methods', { authorization: basic('basic', secret), form: { client_secret: secret } }],
    ['OAU-19 two headers', { authorization: `${basic('basic', secret)}, ${basic('basic', secret)}` }],
  ])('%s: 400 invalid_request', async (_name, sent) => {
    const answer = await ask(sent);
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request']);
  });

  it('OAU-19 two headers on the wire: 400', async () => {
    const running = await serve(handler);
    const header = `Authorization: ${basic('basic', secret)}`;
    const answer = await rawRequest(running, 'POST /oauth/token HTTP/1.1', 'Host: localhost', header, header);
    await running.close(0);
    expect(statusesOf(answer)).toEqual([400]);
  });

  it('an assertion that was used: 401', async () => {
    const forms: URLSearchParams[] = [];
    const keep = async (_url: string, init: oauth.CustomFetchOptions<'POST', URLSearchParams>) => {
      forms.push(init.body);
      return new Response();
    };
    const options = { [oauth.customFetch]: keep };
    const client = { client_id: 'signer' };
    await oauth.clientCredentialsGrantRequest(as, client, oauth.PrivateKeyJwt(signer.privateKey), {}, options);
    const form = Object.fromEntries(forms[0] ?? []);
    expect((await ask({ form })).status).toBe(200);
    const again = await ask({ form });
    expect([again.status, errorOf(again)]).toEqual([401, 'invalid_client']);
  });
});
