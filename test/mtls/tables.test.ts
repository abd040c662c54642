import type { ClientCertificate } from 'doorward';
import { byName, bySubject, createCertificateAuthenticator } from 'doorward/mtls';
import { describe, expect, it } from 'vitest';

const billing = { id: 'service:billing', roles: ['editor'], attributes: {} };
const reports = { id: 'service:reports', roles: ['viewer'], attributes: {} };
const certificate = (part: Partial<ClientCertificate>): ClientCertificate => ({
  thumbprint: 't',
  subject: {},
  names: [],
  notAfter: Number.POSITIVE_INFINITY,
  ...part,
});
const invalid = (field: string) => expect.objectContaining({ code: 'CONFIG_INVALID', field });

describe('byName', () => {
  const principalOf = byName({
    'URI:spiffe://example.org/billing': billing,
    'DNS:billing.example.org': billing,
    'DNS:reports.example.org': reports,
  });
  it.each([
    [['URI:spiffe://example.org/billing'], billing],
    [['DNS:other', 'DNS:billing.example.org', 'URI:spiffe://example.org/billing'], billing],
    [['DNS:billing.example.org', 'DNS:reports.example.org'], undefined],
    [['URI:spiffe://example.org/billing/'], undefined],
    [['URI:spiffe://example.org/billing2'], undefined],
    [['URI:SPIFFE://example.org/billing'], undefined],
    [['DNS:spiffe://example.org/billing'], undefined],
    [['DNS:*.example.org'], undefined],
    [['constructor', '__proto__'], undefined],
    [[], undefined],
  ])('%j is %j', (names, principal) => {
    expect(principalOf(certificate({ names }))).toBe(principal);
  });

  it.each([
    [{ 'billing.example.org': billing }],
    [{ 'DNS:': billing }],
    [{ 'DNS:a': { ...billing, id: '' } }],
    [{ 'DNS:a': null }],
  ])('refuses the table %j', (table) => {
    expect(() => byName(table as never)).toThrow(invalid('table'));
  });
});

describe('bySubject', () => {
  const principalOf = bySubject([
    { subject: { O: 'Example', CN: 'billing' }, principal: billing },
    { subject: { CN: 'reports' }, principal: reports },
  ]);
  it.each([
    [{ O: 'Example', CN: 'billing' }, billing],
    [{ CN: 'billing', O: 'Example' }, billing],
    [{ CN: 'billing' }, undefined],
    [{ O: 'Example', CN: 'billing', OU: 'guests' }, undefined],
    [{ O: 'Other', CN: 'reports' }, undefined],
    [{ CN: 'Reports' }, undefined],
    [{}, undefined],
  ])('%j is %j', (subject, principal) => {
    expect(principalOf(certificate({ subject: subject as Record<string, string> }))).toBe(principal);
  });

  it.each([
    [[{ subject: {}, principal: billing }]],
    [[{ subject: { CN: 7 }, principal: billing }]],
    [[{ subject: { CN: 'a' } }]],
    [[{ principal: billing }]],
    [[null]],
    ['CN=a'],
    [
      [
        { subject: { CN: 'a', O: 'b' }, principal: billing },
        { subject: { O: 'b', CN: 'a' }, principal: reports },
      ],
    ],
  ])('refuses the entries %j', (entries) => {
    expect(() => bySubject(entries as never)).toThrow(invalid('entries'));
  });
});

describe('createCertificateAuthenticator', () => {
  it('is unavailable when principalOf fails or is late', async () => {
    for (const principalOf of [
      () => {
        throw new Error('down');
      },
      () => Promise.reject(new Error('down')),
      () => new Promise<never>(() => {}),
    ]) {
      const authenticate = createCertificateAuthenticator({ principalOf, timeoutMs: 5 });
      await expect(authenticate({ certificate: certificate({}) })).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      });
    }
  });

  it.each([
    ['principalOf', {}],
    ['principalOf', { principalOf: {} }],
    ['clock', { principalOf: byName({}), clock: 1 }],
    ['timeoutMs', { principalOf: byName({}), timeoutMs: 0 }],
    ['byName', { byName: {}, principalOf: byName({}) }],
  ])('refuses the option `%s`', (field, options) => {
    expect(() => createCertificateAuthenticator(options as never)).toThrow(invalid(field));
  });
});
