import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { type CallerAuthenticator, environmentSource, type Principal } from 'doorward';
import { createGate, type GateOptions, type Handler, json } from 'doorward/http';
import { byName, bySubject, createCertificateAuthenticator } from 'doorward/mtls';
import { contractRoles } from 'doorward/rbac';
import { serve } from 'doorward/use/node';
import { afterEach, describe, expect, it } from 'vitest';
import { openAda } from '../mtls/open-ada.ts';
import {
  askTls,
  billing,
  expired,
  impostor,
  openTls,
  reports,
  serveTls,
  statusOn,
  type TlsServer,
} from '../mtls/tls-support.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const service: Principal = { id: 'service:billing', roles: ['viewer'], attributes: {} };
const nobody = () => ({ ok: false, reason: 'none' }) as const;

async function serving(handler: Handler, options?: Parameters<typeof serveTls>[1]): Promise<TlsServer> {
  const running = await serveTls(handler, options);
  closers.push(() => running.close());
  return running;
}

/** A gate that knows billing by its name. */
function guarded(options: Partial<GateOptions> = {}, authenticateCaller?: CallerAuthenticator): Handler {
  const principalOf = byName({ 'URI:spiffe://example.org/billing': service });
  const gate = createGate({
    authenticate: nobody,
    authenticateCaller: authenticateCaller ?? createCertificateAuthenticator({ principalOf }),
    pdp: contractRoles,
    environment: environmentSource(),
    ...options,
  });
  return gate.requirePermission('read', (_request, _info, { principal }) => json(200, { id: principal.id }));
}

describe('a client certificate', () => {
  it('of a trusted authority is the service that it names', async () => {
    const server = await serving(guarded());
    expect(await askTls(server, { client: billing })).toMatchObject({ status: 200, body: '{"id":"service:billing"}' });
  });

  it.each([
    ['is missing', undefined],
    ['means nobody', reports],
    ['is of an authority that nobody trusts, with the same names', impostor],
    ['has ended', expired],
  ])('that %s is nobody', async (_, client) => {
    const server = await serving(guarded());
    const answer = await askTls(server, { client });
    expect(answer).toMatchObject({ status: 401, body: '{"error":"Not authenticated"}' });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('counts for nothing where the server did not ask for one', async () => {
    const server = await serving(guarded(), { requestCert: false });
    expect(await askTls(server, { client: billing })).toMatchObject({ status: 401 });
  });

  it('is never read from a header', async () => {
    const pem = encodeURIComponent(billing.cert);
    const headers = {
      'x-client-cert': pem,
      'client-cert': pem,
      'x-ssl-client-cert': pem,
      'x-forwarded-client-cert': pem,
    };
    expect(await askTls(await serving(guarded()), { headers })).toMatchObject({ status: 401 });
  });

  it('does not stand in for a bad token', async () => {
    const server = await serving(guarded());
    for (const authorization of ['Bearer bad', 'Basic YTpi', '']) {
      expect(await askTls(server, { client: billing, headers: { authorization } })).toMatchObject({ status: 401 });
    }
  });

  it('is refused from its end on, on a connection that goes on', async () => {
    let now = Date.now();
    const principalOf = bySubject([{ subject: { O: 'Example', CN: 'billing' }, principal: service }]);
    const server = await serving(guarded({}, createCertificateAuthenticator({ principalOf, clock: () => now })));
    const socket = await openTls(server, { cert: billing.cert, key: billing.key });
    expect(await statusOn(socket)).toBe(200);
    now = Date.parse('2049-12-31T00:00:00Z');
    expect(await statusOn(socket)).toBe(200);
    now += 1;
    expect(await statusOn(socket)).toBe(401);
    socket.destroy();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is still the same after a session is resumed (%s)', async (version) => {
    const server = await serving(guarded());
    const versions = { minVersion: version, maxVersion: version };
    for (const [client, status] of [
      [billing, 200],
      [reports, 401],
      [expired, 401],
      [undefined, 401],
    ] as const) {
      const pair = client === undefined ? {} : { cert: client.cert, key: client.key };
      const first = await openTls(server, { ...pair, ...versions });
      const session = version === 'TLSv1.2' ? Promise.resolve([first.getSession()]) : once(first, 'session');
      expect(await statusOn(first)).toBe(status);
      const [ticket] = await session;
      first.destroy();
      // The certificate shown beside the ticket is not the one that the session began with.
      const second = await openTls(server, { cert: reports.cert, key: reports.key, ...versions, session: ticket });
      expect(second.isSessionReused()).toBe(true);
      expect(await statusOn(second)).toBe(status);
      second.destroy();
    }
  });

  it('is nobody once Node has found fault with it, as a renegotiation leaves it behind', async () => {
    const server = await serving(guarded());
    const accepted = once(server.server, 'secureConnection');
    const socket = await openTls(server, { cert: billing.cert, key: billing.key });
    const [ours] = await accepted;
    expect(await statusOn(socket)).toBe(200);
    ours.authorizationError = 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY';
    expect(ours.authorized).toBe(true);
    expect(await statusOn(socket)).toBe(401);
    socket.destroy();
  });

  it.each([
    ['refused where it is not good', { ok: false, reason: 'expired' } as const, 401],
    ['nobody where it means nothing', undefined, 200],
    ['refused where the answer names nobody', { ok: true, principal: {} } as never, 401],
  ])('at an open gate is %s', async (_, answer, status) => {
    const gate = createGate({
      authenticate: nobody,
      authenticateCaller: () => answer,
      pdp: contractRoles,
      environment: environmentSource(),
    });
    const handler = gate.optional((_request, _info, { principal }) => json(200, { known: principal !== undefined }));
    const response = await handler(new Request('http://localhost/'), { requestId: 'r-1' });
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual({ known: false });
  });

  it('that is refused or unknown is told to the audit', async () => {
    const events: unknown[] = [];
    const listen = (event: unknown) => events.push(event);
    diagnostics.subscribe('doorward:audit', listen);
    closers.push(async () => diagnostics.unsubscribe('doorward:audit', listen));
    const authenticate = createCertificateAuthenticator({ principalOf: () => undefined, clock: () => 1_000 });
    const certificate = { thumbprint: 't', subject: {}, names: [], notAfter: 1_000 };
    const caller = { ip: '192.0.2.1', requestId: 'r-1' };
    expect(await authenticate({ ...caller, certificate })).toBeUndefined();
    expect(await authenticate({ ...caller, certificate: { ...certificate, notAfter: 999 } })).toMatchObject({
      ok: false,
    });
    expect(await authenticate({ ...caller, certificate: { ...certificate, notAfter: Number.NaN } })).toMatchObject({
      ok: false,
    });
    expect(events).toEqual([
      { type: 'certificate.rejected', reason: 'unknown', ...caller },
      { type: 'certificate.rejected', reason: 'expired', ...caller },
      { type: 'certificate.rejected', reason: 'expired', ...caller },
    ]);
  });
});

describe('OAU-39 a token that is bound to a certificate', () => {
  async function open() {
    const { accounts, credentials, close } = await openAda();
    closers.push(close);
    const gated = guarded({ authenticate: accounts.authenticate });
    const handler: Handler = async (request, info) => {
      if (request.method === 'GET') return gated(request, info);
      const { accessToken } = await accounts.login(credentials, info, { bindToCertificate: true });
      return json(200, { token: accessToken });
    };
    const server = await serving(handler);
    const login = await askTls(server, { method: 'POST', client: billing });
    const token: string = JSON.parse(login.body).token;
    return { handler, server, headers: { authorization: `Bearer ${token}` } };
  }

  it('is good with that certificate and with no other, none, or without TLS', async () => {
    const { handler, server, headers } = await open();
    expect(await askTls(server, { client: billing, headers })).toMatchObject({ status: 200 });
    for (const client of [reports, impostor, expired, undefined]) {
      const answer = await askTls(server, { client, headers });
      expect(answer).toMatchObject({ status: 401 });
      expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    }
    const plain = await serve(handler);
    closers.push(() => plain.close(0));
    const sent = plainRequest(plain.url, { headers });
    sent.end();
    const [response] = await once(sent, 'response');
    expect(response.statusCode).toBe(401);
    response.resume();
  });

  it('is not given to a caller without a certificate', async () => {
    const { server } = await open();
    for (const client of [undefined, impostor, expired]) {
      expect(await askTls(server, { method: 'POST', client })).toMatchObject({ status: 400 });
    }
  });
});
