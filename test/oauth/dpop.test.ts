import diagnostics from 'node:diagnostics_channel';
import { AUDIT_CHANNEL } from 'doorward';
import { createMemoryOnceStore } from 'doorward/stores/memory';
import { fixedClock } from 'doorward/testing';
import { describe, expect, it } from 'vitest';
import { createDpopVerifier, type DpopVerifierOptions, readDpop } from '../../src/oauth/dpop/dpop.ts';
import { comparableAddress } from '../../src/oauth/dpop/dpop-address.ts';
import { ecKey, forge, proofClaims, proofHeader } from './support/proofs.ts';

const START = Date.UTC(2026, 10, 21, 12);
const url = 'https://login.example.org/oauth/token';
const key = ecKey();
const open = (options: Partial<DpopVerifierOptions> = {}) =>
  createDpopVerifier({ once: createMemoryOnceStore(), clock: fixedClock(START), ...options });
const proofFor = (method = 'POST') => forge(key, proofHeader(key), proofClaims(START, { method, url }));
const requestWith = (headers: [string, string][]) =>
  new Request('http://10.0.0.1:8080/oauth/token', { method: 'POST', headers });

describe('readDpop', () => {
  it('gives nothing for a request without a proof', async () => {
    expect(await readDpop(requestWith([]), url, open())).toBeUndefined();
  });

  it('gives the thumbprint of the key, by the public address of the endpoint', async () => {
    const thumbprint = await readDpop(requestWith([['dpop', proofFor()]]), url, open());
    expect(thumbprint).toMatch(/^[\w-]{43}$/);
  });

  it.each<[string, [string, string][]]>([
    ['is empty', [['dpop', '']]],
    ['is no proof', [['dpop', 'proof']]],
    ['is for another method', [['dpop', proofFor('GET')]]],
    [
      'comes twice',
      [
        ['dpop', proofFor()],
        ['dpop', proofFor()],
      ],
    ],
  ])('refuses a proof that %s', async (_name, headers) => {
    const answer = readDpop(requestWith(headers), url, open());
    await expect(answer).rejects.toMatchObject({ code: 'invalid_dpop_proof', status: 400 });
  });

  it('refuses a proof that was used', async () => {
    const verifier = open();
    const proof = proofFor();
    await readDpop(requestWith([['dpop', proof]]), url, verifier);
    await expect(readDpop(requestWith([['dpop', proof]]), url, verifier)).rejects.toMatchObject({
      code: 'invalid_dpop_proof',
    });
  });

  it('says 503 when the store fails, not that the proof is bad', async () => {
    const verifier = open({ once: { once: () => Promise.reject(new Error('down')) } });
    const answer = readDpop(requestWith([['dpop', proofFor()]]), url, verifier);
    await expect(answer).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('the options of the verifier', () => {
  it.each<[string, object]>([
    ['once', { once: {} }],
    ['algorithms', { algorithms: [] }],
    ['algorithms', { algorithms: ['HS256'] }],
    ['algorithms', { algorithms: 'ES256' }],
    ['maxAgeSeconds', { maxAgeSeconds: 0 }],
    ['maxAgeSeconds', { maxAgeSeconds: Number.POSITIVE_INFINITY }],
    ['toleranceSeconds', { toleranceSeconds: -1 }],
    ['toleranceSeconds', { toleranceSeconds: 61 }],
    ['storeTimeoutMs', { storeTimeoutMs: 0 }],
    ['clock', { clock: START }],
    ['maxAge', { maxAge: 60 }],
  ])('refuse a bad %s', (field, options) => {
    expect(() => open(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it('are read once', async () => {
    const algorithms: ('ES256' | 'PS256')[] = ['PS256'];
    const verifier = open({ algorithms });
    algorithms.push('ES256');
    expect(await verifier.verify(proofFor(), { method: 'POST', url })).toEqual({ ok: false, reason: 'algorithm' });
  });
});

it('a refusal is an event with its reason alone', async () => {
  const events: unknown[] = [];
  const listen = (event: unknown) => events.push(event);
  diagnostics.subscribe(AUDIT_CHANNEL, listen);
  const verifier = open();
  const proof = proofFor();
  await verifier.verify(proof, { method: 'POST', url });
  await verifier.verify(proof, { method: 'POST', url });
  diagnostics.unsubscribe(AUDIT_CHANNEL, listen);
  expect(events).toEqual([{ type: 'proof.rejected', reason: 'replayed' }]);
});

describe('addresses are compared', () => {
  it.each([
    ['https://a.example', 'https://A.example:443/'],
    ['https://a.example/%7euser/%2f', 'https://a.example/~user/%2F?x#y'],
    ['http://[::1]:80/a', 'http://[::1]/a'],
    ['https://a.example/a/./b/../c', 'https://a.example/a/c'],
  ])('as one: %s and %s', (one, other) => {
    expect(comparableAddress(one)).toBeDefined();
    expect(comparableAddress(one)).toBe(comparableAddress(other));
  });

  it.each([
    ['https://a.example/a', 'https://a.example/A'],
    ['https://a.example/a%2Fb', 'https://a.example/a/b'],
    ['https://a.example/a', 'https://a.example//a'],
    ['https://a.example/%25%37%45', 'https://a.example/%7E'],
  ])('as two: %s and %s', (one, other) => {
    expect(comparableAddress(one)).not.toBe(comparableAddress(other));
  });

  it.each([
    ['', 'a.example', '//a.example', 'ftp://a.example', 'data:,a', 'https://', 'https://u:p@a.example/'],
    [
      'https://a.example/\n',
      ' https://a.example/',
      'https://a.example/\tb',
      'https:\\\\a.example',
      'https://ä.example',
    ],
    [7, null, undefined, {}],
  ])('never when they are none', (...addresses) => {
    expect(addresses.map(comparableAddress)).toEqual(addresses.map(() => undefined));
  });
});
