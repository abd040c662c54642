import { createHash, X509Certificate } from 'node:crypto';
import type { ClientCertificate } from 'doorward';
import { json } from 'doorward/http';
import { afterEach, describe, expect, it } from 'vitest';
import { readAltNames } from '../../src/use/node/alt-names.ts';
import { type CertificateWish, certify } from '../mtls/certificates.ts';
import { askTls, authority, serveTls, type TlsServer } from '../mtls/tls-support.ts';

const closers: TlsServer[] = [];
afterEach(async () => {
  for (const server of closers.splice(0)) await server.close();
});

/** What the handler sees of a client with such a certificate, over a real connection. */
async function seen(wish: CertificateWish): Promise<{ certificate?: ClientCertificate | undefined; cert: string }> {
  let certificate: ClientCertificate | undefined;
  const server = await serveTls((_request, info) => {
    certificate = info.certificate;
    return json(200, {});
  });
  closers.push(server);
  const client = certify(wish, authority);
  await askTls(server, { client });
  return { certificate, cert: client.cert };
}

describe('the certificate of a client', () => {
  it('is told with its thumbprint, subject, names and end', async () => {
    const { certificate, cert } = await seen({
      subject: [
        ['O', 'Example, Inc.'],
        ['CN', 'billing\nO=Evil'],
      ],
      names: [
        ['URI', 'spiffe://example.org/billing'],
        ['DNS', 'billing.example.org'],
        ['email', 'billing@example.org'],
        ['IP', new Uint8Array([10, 0, 0, 7])],
      ],
      notAfter: new Date('2040-05-06T07:08:09Z'),
    });
    expect(certificate).toEqual({
      thumbprint: createHash('sha256').update(new X509Certificate(cert).raw).digest('base64url'),
      subject: { O: 'Example, Inc.', CN: 'billing\nO=Evil' },
      names: [
        'URI:spiffe://example.org/billing',
        'DNS:billing.example.org',
        'email:billing@example.org',
        'IP Address:10.0.0.7',
      ],
      notAfter: Date.parse('2040-05-06T07:08:09Z'),
    });
  });

  it.each([
    ['URI', 'http://x/, DNS:admin.example.org'],
    ['URI', 'http://x/", DNS:admin.example.org, URI:"'],
    ['DNS', 'x\\", DNS:admin.example.org'],
    ['DNS', "x', DNS:admin.example.org"],
    ['email', 'x\n, DNS:admin.example.org'],
    ['URI', 'DNS:admin.example.org'],
  ])('has one name where an authority put what looks like two into it: %s %j', async (kind, value) => {
    const { certificate } = await seen({ subject: [['CN', 'x']], names: [[kind, value]] });
    expect(certificate?.names).toEqual([`${kind}:${value}`]);
  });

  it('has no name that another one with a zero byte would be', async () => {
    const { certificate } = await seen({
      subject: [['CN', 'admin\0.example.org']],
      names: [['DNS', 'admin\0.example.org']],
    });
    expect(certificate).toBeDefined();
    expect(certificate?.names).not.toContain('DNS:admin');
    expect(certificate?.subject).not.toEqual({ CN: 'admin' });
  });

  it('has no subject where an attribute stands twice', async () => {
    const { certificate } = await seen({
      subject: [
        ['O', 'Example'],
        ['CN', 'billing'],
        ['CN', 'admin'],
      ],
    });
    expect(certificate).toMatchObject({ subject: {}, names: [] });
  });
});

describe('the text of the names', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['DNS:a.example, DNS:b.example', ['DNS:a.example', 'DNS:b.example']],
    ['DNS:a.example, othername:<unsupported>', ['DNS:a.example']],
    ['othername: UPN::"a, DNS:b", DNS:c.example', ['DNS:c.example']],
    ['DNS:"a\\u0000b"', ['DNS:a\0b']],
    ['DNS:a.example, ', ['DNS:a.example']],
    ['DNS:a.example,DNS:b.example', []],
    ['DNS:"a.example', []],
    ['DNS:"a\\x"', []],
    ['DNS:"a"b, DNS:c', []],
    ['a.example', []],
    [', DNS:a', []],
  ])('%j is %j', (text, names) => {
    expect(readAltNames(text)).toEqual(names);
  });
});
