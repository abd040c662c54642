import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL, type ClientCertificate, type OnceStore } from 'doorward';
import { createMemoryOnceStore } from 'doorward/stores/memory';
import { fixedClock } from 'doorward/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boundedOnceStore } from '../../src/core/bounded-once-store.ts';
import { answering } from '../../src/oauth/answers.ts';
import { createAuthenticateClient } from '../../src/oauth/clients/client-authentication.ts';
import { createClientRegistry } from '../../src/oauth/clients/client-registry.ts';
import { endpointUrls } from '../../src/oauth/endpoints.ts';
import { readParameters } from '../../src/oauth/read-form.ts';
import { ecKey, forge } from './support/proofs.ts';

const START = Date.UTC(2026, 10, 21, 12);
const NOW = START / 1_000;
const issuer = 'https://login.example.org';
const tokenUrl = `${issuer}/oauth/token`;
const secret = 'Yk3vT8qLrW5nZ1xC7bM9pS2dF6gH4jK0';
const oddSecret = 'W5n+Z1x%:C7bM9=pS2&dF6gH4jK0qLrT8';
const key = ecKey();
const common = { scope: 'create', grant_types: ['client_credentials'] } as const;
const clients = createClientRegistry([
  { ...common, client_id: 'basic', token_endpoint_auth_method: 'client_secret_basic', client_secret: secret },
  { ...common, client_id: 'odd', token_endpoint_auth_method: 'client_secret_basic', client_secret: oddSecret },
  { ...common, client_id: 'post', token_endpoint_auth_method: 'client_secret_post', client_secret: secret },
  { ...common, client_id: 'signer', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } },
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

const events: unknown[] = [];
const listen = (event: unknown) => events.push(event);
beforeEach(() => diagnostics.subscribe(AUDIT_CHANNEL, listen));
afterEach(() => {
  diagnostics.unsubscribe(AUDIT_CHANNEL, listen);
  events.length = 0;
});

interface Sent {
  readonly form?: Record<string, string>;
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
  readonly query?: string;
}

/** An endpoint that does nothing but tell the client. */
function open(once: OnceStore = createMemoryOnceStore()) {
  const clock = fixedClock(START);
  const authenticate = createAuthenticateClient({ clients, once, clock, issuer, urls: endpointUrls(issuer) });
  const send = async ({ form = {}, authorization, certificate, query = '' }: Sent) => {
    const info = { requestId: 'r1', ip: '192.0.2.1', certificate };
    const request = new Request(tokenUrl + query, {
      method: 'POST',
      body: new URLSearchParams(form),
      ...(authorization !== undefined && { headers: { authorization } }),
    });
    const response = await answering(
      info,
      () => undefined,
      async () => {
        const client = await authenticate(request, await readParameters(request, 16_384), info);
        return Response.json({ client: client.id });
      },
    );
    const { status, headers } = response;
    return { status, challenge: headers.get('www-authenticate'), body: await response.text() };
  };
  return { clock, send };
}

const basic = (id: string, password: string) => `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`;
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const welcome = (id: string) => ({ status: 200, challenge: null, body: JSON.stringify({ client: id }) });
const INVALID_CLIENT = JSON.stringify({
  error: 'invalid_client',
  error_description: 'Client authentication failed',
});
const CHALLENGED = { status: 401, challenge: `Basic realm="${issuer}"`, body: INVALID_CLIENT };
const REFUSED = { status: 401, challenge: null, body: INVALID_CLIENT };

describe('client_secret_basic', () => {
  it.each<[string, string]>([
    ['as it is', basic('basic', secret)],
    ['with the scheme in any case', basic('basic', secret).replace('Basic', 'bAsIc')],
  ])('accepts the secret %s', async (_name, authorization) => {
    expect(await open().send({ authorization })).toEqual(welcome('basic'));
    expect(await open().send({ authorization, form: { client_id: 'basic' } })).toEqual(welcome('basic'));
  });

  it('decodes the id and the secret as forms are (RFC 6749 appendix B)', async () => {
    const authorization = basic(formEncoded('odd'), formEncoded(oddSecret));
    expect(await open().send({ authorization })).toEqual(welcome('odd'));
    expect(await open().send({ authorization: basic('%6Fdd', formEncoded(oddSecret)) })).toEqual(welcome('odd'));
  });

  it('takes as it stands what is no valid encoding', async () => {
    expect(await open().send({ authorization: basic('odd', oddSecret) })).toEqual(welcome('odd'));
  });

  it.each<[string, string]>([
    ['a wrong secret', basic('basic', 'x'.repeat(32))],
    ['an empty secret', basic('basic', '')],
    ['a longer secret', basic('basic', `${secret}x`)],
    ['an unknown client', basic('nobody', secret)],
    ['an inherited name', basic('constructor', secret)],
    ['no name', basic('', secret)],
    ['no colon', `Basic ${Buffer.from('basic').toString('base64')}`],
    ['bad base64', 'Basic ###'],
    ['base64 with something behind it', `${basic('basic', secret)}=x`],
    ['base64 without its padding', basic('basic', `${secret}`).replaceAll('=', '')],
    ['bytes that are no text', `Basic ${Buffer.from([0x62, 0xff, 0x3a, 0x62]).toString('base64')}`],
    ['nothing', 'Basic'],
    ['another scheme', `Bearer ${secret}`],
    ['a client registered for the body', basic('post', secret)],
    ['a public client', basic('spa', secret)],
    ['a public client without a secret', basic('spa', '')],
    ['a client that signs', basic('signer', secret)],
    ['a client that no secret was given, and the bytes that stand in for it', basic('tls', '\0'.repeat(32))],
  ])('answers 401 and its challenge to %s', async (_name, authorization) => {
    expect(await open().send({ authorization })).toEqual(CHALLENGED);
    expect(events).toEqual([expect.objectContaining({ type: 'client.rejected', ip: '192.0.2.1', requestId: 'r1' })]);
  });

  it('is ambiguous beside another method (OAU-19)', async () => {
    const authorization = basic('basic', secret);
    const others: Record<string, string>[] = [
      { client_secret: secret },
      { client_id: 'basic', client_secret: secret },
      { client_assertion: 'x.y.z' },
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
    ];
    for (const form of others) {
      const { status, body, challenge } = await open().send({ authorization, form });
      expect([status, JSON.parse(body).error, challenge]).toEqual([400, 'invalid_request', null]);
    }
  });

  it.each<[string, Sent]>([
    ['two headers', { authorization: `${basic('basic', secret)}, ${basic('basic', secret)}` }],
    ['another id in the body', { authorization: basic('basic', secret), form: { client_id: 'post' } }],
    [
      'an unreadable header and a secret',
      { authorization: 'Basic ###', form: { client_id: 'post', client_secret: secret } },
    ],
  ])('is refused with 400 for %s', async (_name, sent) => {
    const { status, body } = await open().send(sent);
    expect([status, JSON.parse(body).error]).toEqual([400, 'invalid_request']);
  });
});

describe('client_secret_post', () => {
  it('accepts the secret', async () => {
    expect(await open().send({ form: { client_id: 'post', client_secret: secret } })).toEqual(welcome('post'));
  });

  it.each<[string, Record<string, string>]>([
    ['a wrong secret', { client_id: 'post', client_secret: 'x'.repeat(32) }],
    ['an unknown client', { client_id: 'nobody', client_secret: secret }],
    ['no id', { client_secret: secret }],
    ['a client registered for the header', { client_id: 'basic', client_secret: secret }],
    ['a public client', { client_id: 'spa', client_secret: secret }],
    ['a client that TLS identifies', { client_id: 'tls', client_secret: secret }],
  ])('answers 401 without a challenge to %s', async (_name, form) => {
    expect(await open().send({ form })).toEqual(REFUSED);
  });

  it('never reads the query', async () => {
    const query = `?client_id=post&client_secret=${secret}`;
    expect(await open().send({ query })).toEqual(REFUSED);
    expect(await open().send({ query, form: { client_id: 'post' } })).toEqual(REFUSED);
  });
});

describe('a client that sends only its id', () => {
  it('is itself when it is public', async () => {
    expect(await open().send({ form: { client_id: 'spa' } })).toEqual(welcome('spa'));
    expect(await open().send({ form: { client_id: 'spa', client_secret: '' } })).toEqual(welcome('spa'));
  });

  it.each(['basic', 'post', 'signer', 'tls', 'nobody', '__proto__', ''])(
    'is refused when it is %o (OAU-20)',
    async (id) => {
      expect(await open().send({ form: { client_id: id, code_verifier: 'v'.repeat(43) } })).toEqual(REFUSED);
    },
  );
});

describe('events of clients', () => {
  it('name registered clients only, and no secret', async () => {
    const { send } = open();
    await send({ authorization: basic('basic', 'a wrong secret of somebody') });
    await send({ authorization: basic('my password', 'typed into the wrong field') });
    await send({ authorization: basic('spa', '') });
    await send({ authorization: 'Basic ###' });
    await send({ authorization: `Basic ${Buffer.from('basic:\xff', 'latin1').toString('base64')}` });
    await send({ form: { client_id: 'post' } });
    const at = { type: 'client.rejected', ip: '192.0.2.1', requestId: 'r1' };
    expect(events).toEqual([
      { ...at, clientId: 'basic', reason: 'secret' },
      { ...at, reason: 'unknown_client' },
      { ...at, clientId: 'spa', reason: 'method' },
      { ...at, reason: 'malformed' },
      { ...at, reason: 'malformed' },
      { ...at, clientId: 'post', reason: 'no_credentials' },
    ]);
  });
});

describe('private_key_jwt', () => {
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const claims = (changes: object = {}) => ({
    ...{ iss: 'signer', sub: 'signer', aud: issuer, jti: 'a', iat: NOW, exp: NOW + 60 },
    ...changes,
  });
  const assertion = (changes: object = {}, header: object = {}) =>
    forge(key, { alg: 'ES256', ...header }, claims(changes));
  const formOf = (client_assertion: string, more: object = {}) => ({
    form: { client_assertion_type: TYPE, client_assertion, ...more },
  });

  it.each<[string, string]>([
    ['the issuer', assertion()],
    ['the token endpoint', assertion({ aud: tokenUrl })],
    ['a list of one', assertion({ aud: [issuer] })],
    ['the type JWT', assertion({}, { typ: 'JWT' })],
    ['its own type', assertion({}, { typ: 'client-authentication+jwt' })],
    ['five minutes', assertion({ exp: NOW + 300 })],
    ['a clock that is a minute ahead', assertion({ iat: NOW + 60, nbf: NOW + 60, exp: NOW + 360 })],
    ['no time of issue', assertion({ iat: undefined })],
  ])('accepts an assertion with %s', async (_name, text) => {
    expect(await open().send(formOf(text))).toEqual(welcome('signer'));
    expect(await open().send(formOf(text, { client_id: 'signer' }))).toEqual(welcome('signer'));
  });

  it.each<[string, string, string]>([
    ['another issuer', assertion({ iss: 'basic' }), 'subject'],
    ['no issuer', assertion({ iss: undefined }), 'subject'],
    ['no audience', assertion({ aud: undefined }), 'audience'],
    ['another audience', assertion({ aud: 'https://other.example.net' }), 'audience'],
    ['the audience of another endpoint', assertion({ aud: `${issuer}/oauth/revoke` }), 'audience'],
    ['a slash behind the issuer', assertion({ aud: `${issuer}/` }), 'audience'],
    ['several audiences', assertion({ aud: [issuer, 'https://other.example.net'] }), 'audience'],
    ['an audience in a list in a list', assertion({ aud: [[issuer]] }), 'audience'],
    ['no end', assertion({ exp: undefined }), 'expired'],
    ['an end that is a text', assertion({ exp: String(NOW + 60) }), 'expired'],
    ['an end that is now', assertion({ exp: NOW }), 'expired'],
    ['an end that was', assertion({ exp: NOW - 1 }), 'expired'],
    ['an end that is far', assertion({ exp: NOW + 361 }), 'lifetime'],
    ['a beginning that is far', assertion({ nbf: NOW + 61 }), 'not_yet_valid'],
    ['a time of issue that is far', assertion({ iat: NOW + 61 }), 'not_yet_valid'],
    ['a time of issue that is a text', assertion({ iat: 'now' }), 'not_yet_valid'],
    ['no name', assertion({ jti: undefined }), 'claims'],
    ['an empty name', assertion({ jti: '' }), 'claims'],
    ['a long name', assertion({ jti: 'x'.repeat(257) }), 'claims'],
    ['the type of an access token', assertion({}, { typ: 'at+jwt' }), 'type'],
    ['the type of a DPoP proof', assertion({}, { typ: 'dpop+jwt' }), 'type'],
    ['no algorithm', assertion({}, { alg: 'none' }), 'algorithm'],
    ['critical members', assertion({}, { crit: ['exp'] }), 'critical_header'],
    ['the signature of another key', forge(ecKey(), { alg: 'ES256' }, claims()), 'signature'],
    ['another key inside it', forge(ecKey(), { alg: 'ES256', jwk: ecKey().jwk }, claims()), 'signature'],
  ])('refuses an assertion with %s', async (_name, text, reason) => {
    expect(await open().send(formOf(text))).toEqual(REFUSED);
    expect(events).toEqual([expect.objectContaining({ clientId: 'signer', reason })]);
  });

  it.each<[string, Record<string, string>]>([
    ['no type', { client_assertion: assertion() }],
    [
      'another type',
      {
        client_assertion: assertion(),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
    ],
    ['no assertion', { client_assertion_type: TYPE, client_id: 'signer' }],
    ['no assertion of a public client', { client_assertion_type: TYPE, client_id: 'spa' }],
    ['an assertion that is none', { client_assertion_type: TYPE, client_assertion: 'x' }],
    [
      'an unknown subject',
      { client_assertion_type: TYPE, client_assertion: assertion({ iss: 'nobody', sub: 'nobody' }) },
    ],
    ['no subject', { client_assertion_type: TYPE, client_assertion: assertion({ sub: undefined }) }],
    ['a subject that is a list', { client_assertion_type: TYPE, client_assertion: assertion({ sub: ['signer'] }) }],
    [
      'a client that has a secret',
      { client_assertion_type: TYPE, client_assertion: assertion({ iss: 'basic', sub: 'basic' }) },
    ],
    ['a public client', { client_assertion_type: TYPE, client_assertion: assertion({ iss: 'spa', sub: 'spa' }) }],
  ])('answers 401 for %s', async (_name, form) => {
    expect(await open().send({ form })).toEqual(REFUSED);
  });

  it('refuses two ids that differ, and a secret beside it', async () => {
    for (const more of [{ client_id: 'post' }, { client_secret: secret }]) {
      const { status, body } = await open().send(formOf(assertion(), more));
      expect([status, JSON.parse(body).error]).toEqual([400, 'invalid_request']);
    }
  });

  it('takes an assertion once, for as long as it would be good', async () => {
    const { clock, send } = open();
    const text = assertion({ exp: NOW + 300 });
    const again = [send(formOf(text)), send(formOf(text)), send(formOf(text))];
    const statuses = (await Promise.all(again)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401]);
    clock.advance(299_000);
    expect(await send(formOf(text))).toEqual(REFUSED);
    expect(events.at(-1)).toMatchObject({ reason: 'replayed' });
    expect(await send(formOf(assertion({ jti: 'b', exp: NOW + 360 })))).toEqual(welcome('signer'));
  });

  it('is not spent by a request that is refused', async () => {
    const { send } = open();
    expect((await send(formOf(assertion(), { client_id: 'post' }))).status).toBe(400);
    expect(await send(formOf(forge(ecKey(), { alg: 'ES256' }, claims())))).toEqual(REFUSED);
    expect(await send(formOf(assertion()))).toEqual(welcome('signer'));
  });

  it('answers 503 when the store of used names fails', async () => {
    const once = boundedOnceStore({ once: () => Promise.reject(new Error('down')) }, 1_000);
    const { status, body } = await open(once).send(formOf(assertion()));
    expect([status, JSON.parse(body).error]).toEqual([503, 'temporarily_unavailable']);
  });
});

describe('tls_client_auth', () => {
  const certificate = (changes: Partial<ClientCertificate> = {}): ClientCertificate => ({
    thumbprint: 'A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0',
    subject: { CN: 'billing' },
    names: ['DNS:billing.example.org'],
    notAfter: START + 1_000,
    ...changes,
  });
  const form = { client_id: 'tls' };

  it('accepts the certificate of the client', async () => {
    expect(await open().send({ form, certificate: certificate() })).toEqual(welcome('tls'));
  });

  it.each<[string, Sent]>([
    ['no certificate', { form }],
    ['the certificate of another service', { form, certificate: certificate({ names: ['DNS:reports.example.org'] }) }],
    ['a certificate that has ended', { form, certificate: certificate({ notAfter: START - 1 }) }],
    ['a certificate of an unknown date', { form, certificate: certificate({ notAfter: Number.NaN }) }],
    ['its certificate and a secret', { form: { ...form, client_secret: secret }, certificate: certificate() }],
    ['its certificate for a client with a secret', { form: { client_id: 'post' }, certificate: certificate() }],
    ['its certificate and no id', { certificate: certificate() }],
  ])('refuses %s', async (_name, sent) => {
    expect(await open().send(sent)).toEqual(REFUSED);
  });
});
