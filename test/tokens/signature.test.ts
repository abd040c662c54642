import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { createTokenIssuer, createTokenVerifier, privateKey, publicKey, secretKey } from 'doorward/tokens';
import { describe, expect, it } from 'vitest';
import { createJwsVerifier } from '../../src/tokens/jws.ts';
import vectors from '../fixtures/rfc/vectors.json' with { type: 'json' };
import {
  algorithms,
  clock,
  ec,
  encode,
  forge,
  forgeRs256,
  goodClaims,
  hs256,
  keys,
  mac,
  rsa,
  SECRET,
  withClaims,
  withHeader,
} from './forge.ts';

const verifier = createTokenVerifier({ keys: [hs256], clock });
const reasonOf = (token: unknown, by = verifier) => {
  const result = by.verify(token);
  return result.ok ? 'accepted' : result.reason;
};
const good = withClaims({});
const [header = '', payload = '', signature = ''] = good.split('.');

describe('the signature layer', () => {
  it('accepts the token of RFC 7515 appendix A.1', () => {
    const { key_b64u, jws } = vectors.rfc7515_A1;
    const result = createJwsVerifier([secretKey(Buffer.from(key_b64u, 'base64url'))], ['JWT'])(jws);
    expect(result).toMatchObject({ typ: 'JWT' });
    expect(typeof result === 'string' ? result : result.payload.toString()).toBe(
      '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}',
    );
  });

  it('accepts what the other tests change', () => {
    expect(verifier.verify(good)).toEqual({ ok: true, claims: goodClaims });
  });

  it.each([
    '',
    'a',
    'a.b',
    'a.b.c.d',
    'a.b.c.d.e',
    '.',
    '..',
    '...',
    `${header}..${signature}`,
    `.${payload}.${signature}`,
  ])('JWT-01 %j has not three parts', (token) => expect(reasonOf(token)).toBe('malformed'));

  it.each([undefined, null, 1, {}, [good], Buffer.from(good), new String(good), Symbol('token'), () => good])(
    'JWT-01 only a string is a token, not %s',
    (token) => expect(reasonOf(token)).toBe('malformed'),
  );

  it.each(['none', 'None', 'NONE', 'nOnE', '', null, 0])('JWT-02 alg %j is refused, signed or not', (alg) => {
    expect(reasonOf(`${encode({ alg, typ: 'JWT' })}.${payload}.`)).toBe('malformed');
    expect(reasonOf(`${encode({ alg, typ: 'JWT' })}.${payload}.${signature}`)).toBe('algorithm');
    expect(reasonOf(withHeader({ alg }))).toBe('algorithm');
  });

  it('JWT-02 a header without alg is refused', () => {
    expect(reasonOf(forge({ typ: 'JWT' }, goodClaims))).toBe('algorithm');
  });

  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  it.each([
    ['PEM', pem],
    ['PEM without its last line end', pem.trimEnd()],
    ['PKCS #1 PEM', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' })],
    ['PEM after NUL', `\0${pem}`],
    ['PEM after a byte order mark', `\ufeff${pem}`],
    ['PEM after a space', ` ${pem}`],
    ['PEM after a comment', `# key\n${pem}`],
    ['DER', rsa.publicKey.export({ type: 'spki', format: 'der' })],
    ['JWK', JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))],
  ])('JWT-03 a token MACed with the public key as %s is refused', (_, secret) => {
    for (const by of [createTokenVerifier({ keys: [keys.RS256], clock }), verifier]) {
      expect(reasonOf(forge({ alg: 'HS256', typ: 'JWT' }, goodClaims, secret), by)).toMatch(/^(algorithm|signature)$/);
      expect(reasonOf(forge({ alg: 'RS256', typ: 'JWT' }, goodClaims, secret), by)).toMatch(/^(algorithm|signature)$/);
    }
  });

  it.each(['RS256', 'ES384', 'ES512', 'HS256', 'PS256', 'es256'])('JWT-05 an ES256 key takes no %s', (alg) => {
    const es256 = createTokenVerifier({ keys: [keys.ES256], clock });
    const input = `${encode({ alg, typ: 'JWT' })}.${payload}`;
    const signed = sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
    expect(reasonOf(`${input}.${signed.toString('base64url')}`, es256)).toBe('algorithm');
  });

  it('JWT-05 the key, not the header, determines the algorithm of a JWK without alg', () => {
    const jwk = rsa.publicKey.export({ format: 'jwk' });
    const rs256 = createTokenVerifier({ keys: [publicKey(jwk)], clock });
    const ps256Token = createTokenIssuer({ key: keys.PS256, clock }).issue({ sub: 'ada' });
    expect(reasonOf(ps256Token, rs256)).toBe('algorithm');
    expect(reasonOf(ps256Token, createTokenVerifier({ keys: [publicKey(jwk, { alg: 'PS256' })], clock }))).toBe(
      'accepted',
    );
  });

  it('JWT-05 ES256 signatures in DER and PS256 signatures with another salt length are refused', () => {
    const inputOf = (alg: string) => `${encode({ alg, typ: 'JWT' })}.${payload}`;
    const der = sign('sha256', Buffer.from(inputOf('ES256')), ec.privateKey).toString('base64url');
    expect(reasonOf(`${inputOf('ES256')}.${der}`, createTokenVerifier({ keys: [keys.ES256], clock }))).toBe(
      'signature',
    );
    const pss = sign('sha256', Buffer.from(inputOf('PS256')), { key: rsa.privateKey, padding: 6, saltLength: 20 });
    const ps256 = createTokenVerifier({ keys: [keys.PS256], clock });
    expect(reasonOf(`${inputOf('PS256')}.${pss.toString('base64url')}`, ps256)).toBe('signature');
  });

  it('JWT-06 keys in the header are neither used nor fetched', async () => {
    let requests = 0;
    const canary = createServer((_, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    const address = canary.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/keys`;
    const attacker = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const rs256 = createTokenVerifier({ keys: [keys.RS256], clock });
    const jwk = attacker.publicKey.export({ format: 'jwk' });
    const x5c = [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')];
    for (const extra of [{ jwk }, { x5c }, { jku: url }, { x5u: url }]) {
      const token = forgeRs256({ alg: 'RS256', typ: 'JWT', ...extra }, goodClaims, attacker.privateKey);
      expect(reasonOf(token, rs256)).toBe('signature');
      expect(reasonOf(forgeRs256({ alg: 'RS256', typ: 'JWT', ...extra }, goodClaims), rs256)).toBe('accepted');
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => canary.close(resolve));
    expect(requests).toBe(0);
  });

  it.each(['../../dev/null', "' OR 1=1--", '__proto__', 'constructor', 'k'.repeat(5_000), ['k1'], null, 0, ''])(
    'JWT-07 kid %j names no key',
    (kid) => expect(reasonOf(withHeader({ kid }))).toBe('unknown_key'),
  );

  it.each([
    { crit: [] },
    { crit: 'x' },
    { crit: ['exp'], exp: 1 },
    { crit: [1] },
    { crit: null },
    { b64: false },
    { b64: true },
  ])('JWT-15 header %j is refused', (extra) => expect(reasonOf(withHeader(extra))).toBe('critical_header'));

  it('JWT-15 an unencoded payload (RFC 7797) is refused', () => {
    expect(reasonOf(mac(`${encode({ alg: 'HS256', typ: 'JWT', b64: false, crit: ['b64'] })}.{}`))).toBe(
      'critical_header',
    );
  });

  it.each([
    ['padding', `${good}=`],
    ['padding in the payload', mac(`${header}.${payload}=`)],
    ['a line end', `${good}\n`],
    ['a line end inside', mac(`${header}.${payload.slice(0, 8)}\n${payload.slice(8)}`)],
    ['a space inside', mac(`${header}.${payload.slice(0, 8)} ${payload.slice(8)}`)],
    ['a space in the header', mac(`${header} .${payload}`)],
    ['a trailing dot', `${good}.`],
    ['a leading space', ` ${good}`],
    ['a leading byte order mark', `\ufeff${good}`],
    ['the scheme', `Bearer ${good}`],
  ])('JWT-22 %s is not base64url', (_, token) => {
    expect(reasonOf(token)).toMatch(/^(malformed|signature)$/);
  });

  it('JWT-22 standard base64 is refused in every part, though the signature over it is right', () => {
    const text = JSON.stringify({ ...goodClaims, pad: '~~~???' });
    const standard = Buffer.from(text).toString('base64').replaceAll('=', '');
    expect(standard).toMatch(/[+/]/);
    expect(reasonOf(mac(`${header}.${standard}`))).toBe('malformed');
    expect(reasonOf(mac(`${header}.${encode(text)}`))).toBe('accepted');
    const withPlus =
      Array.from({ length: 200 }, (_, i) => withClaims({ i })).find((token) => /[-_][^.]*$/.test(token)) ?? '';
    const tail = withPlus.lastIndexOf('.') + 1;
    const spelt = withPlus.slice(0, tail) + withPlus.slice(tail).replaceAll('-', '+').replaceAll('_', '/');
    expect(reasonOf(withPlus)).toBe('accepted');
    expect(reasonOf(spelt)).toBe('signature');
  });

  it('JWT-22 characters that share their low byte with the right ones are refused', () => {
    const shift = (text: string, by: number) => String.fromCharCode(text.charCodeAt(0) + by) + text.slice(1);
    for (const by of [0x100, 0x2000, 0xff00]) {
      expect(reasonOf(`${header}.${payload}.${shift(signature, by)}`)).toBe('signature');
      expect(reasonOf(`${header}.${shift(payload, by)}.${signature}`)).toBe('signature');
      expect(reasonOf(`${shift(header, by)}.${payload}.${signature}`)).toBe('malformed');
    }
  });

  it.each(algorithms)('JWT-23 T10 a %s signature with unused bits set is refused', (alg) => {
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const token = createTokenIssuer({ key: keys[alg], clock }).issue({ sub: 'ada' });
    const by = createTokenVerifier({ keys: [keys[alg]], clock });
    expect(reasonOf(token, by)).toBe('accepted');
    const last = ALPHABET.indexOf(token.at(-1) ?? '');
    const sameBytes = [...ALPHABET].filter((_, i) => i !== last && i >> 2 === last >> 2);
    expect(sameBytes.length).toBe(3);
    for (const character of sameBytes) expect(reasonOf(token.slice(0, -1) + character, by)).toBe('signature');
  });

  it('JWT-23 every flipped bit, and every shorter and longer signature, is refused', () => {
    const bytes = Buffer.from(signature, 'base64url');
    const withSignature = (changed: Buffer) => `${header}.${payload}.${changed.toString('base64url')}`;
    for (let bit = 0; bit < 256; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(reasonOf(withSignature(flipped))).toBe('signature');
    }
    for (let length = 1; length < 32; length++)
      expect(reasonOf(withSignature(bytes.subarray(0, length)))).toBe('signature');
    expect(reasonOf(withSignature(Buffer.concat([bytes, Buffer.alloc(1)])))).toBe('signature');
    expect(reasonOf(withSignature(Buffer.concat([bytes, bytes])))).toBe('signature');
  });

  it('JWT-24 a header that repeats a member is refused, however it is spelt', () => {
    expect(reasonOf(forge('{"alg":"none","alg":"HS256","typ":"JWT"}', goodClaims))).toBe('malformed');
    expect(reasonOf(forge('{"alg":"HS256","typ":"x","\\u0074yp":"JWT"}', goodClaims))).toBe('malformed');
    expect(reasonOf(forge('{ "alg" : "HS256" , "typ":"JWT", "x":{"alg":1,"alg":2} }', goodClaims))).toBe('malformed');
    expect(reasonOf(forge('{ "alg" : "HS256" , "typ":"JWT", "x":[{"alg":1},{"alg":2}] }', goodClaims))).toBe(
      'accepted',
    );
  });

  it('JWT-26 the JSON serialisations are refused', () => {
    expect(reasonOf(JSON.stringify({ payload, protected: header, signature }))).toBe('malformed');
    expect(reasonOf(JSON.stringify({ payload, signatures: [{ protected: header, signature }] }))).toBe('malformed');
  });

  it.each([
    { alg: 'dir', enc: 'A256GCM' },
    { alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_147_483_647, p2s: 'AAAA' },
    { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
  ])('JWT-27 a JWE with %j is refused', (jwe) => {
    expect(reasonOf(`${encode(jwe)}..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`)).toBe('malformed');
    expect(reasonOf(`${encode(jwe)}.AAAA.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA`)).toBe('malformed');
    expect(reasonOf(forge({ ...jwe, typ: 'JWT' }, goodClaims))).toMatch(/^(algorithm|critical_header)$/);
  });

  it('JWT-27 a signed token with zip is refused', () => {
    expect(reasonOf(withHeader({ zip: 'DEF' }))).toBe('critical_header');
  });

  it.each([
    ['8,193 characters', 'a'.repeat(8_193)],
    ['15 KB', withClaims({ pad: 'x'.repeat(11_000) })],
    ['10,000 claims', withClaims(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`c${i}`, i])))],
    ['JSON nested 20,000 deep', forge({ alg: 'HS256', typ: 'JWT' }, `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
  ])('JWT-29 %s is too large', (_, token) => {
    expect(reasonOf(token)).toBe('too_large');
  });

  it('JWT-29 8,192 characters are looked into, and JSON as deep as they allow is parsed', () => {
    const free = Math.floor(((8_192 - header.length - 43 - 2) / 4) * 3);
    const padded = (length: number) =>
      JSON.stringify({ ...goodClaims, pad: '' }).replace('""', `"${'x'.repeat(length)}"`);
    const full = forge({ alg: 'HS256', typ: 'JWT' }, padded(free - padded(0).length));
    expect(full.length).toBe(8_192);
    expect(reasonOf(full)).toBe('accepted');
    const deep = `{"sub":"ada","iat":${goodClaims.iat},"exp":${goodClaims.exp},"d":${'['.repeat(2_900)}${']'.repeat(2_900)}}`;
    expect(reasonOf(forge({ alg: 'HS256', typ: 'JWT' }, deep))).toBe('accepted');
    expect(reasonOf(forge('['.repeat(6_000), goodClaims))).toMatch(/^(malformed|too_large)$/);
  });

  it.each([
    '[]',
    '[1]',
    '"HS256"',
    'null',
    '5',
    'true',
    '',
    ' ',
    '{',
    '{"alg":"HS256","typ":"JWT"}x',
    '\ufeff{"alg":"HS256"}',
  ])('a header of %j is no object', (text) => expect(reasonOf(forge(text, goodClaims))).toBe('malformed'));

  it('a header in invalid UTF-8 is refused', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"alg":"HS256","typ":"JWT","x":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    expect(reasonOf(forge(bytes, goodClaims))).toBe('malformed');
  });
});

describe('the choice of the key', () => {
  const older = secretKey(`${SECRET}-older`, { kid: 'older' });
  const newer = secretKey(`${SECRET}-newer`, { kid: 'newer' });
  const by = createTokenVerifier({ keys: [older, newer], clock });
  const tokenOf = (secret: string, kid?: string) =>
    forge({ alg: 'HS256', typ: 'JWT', ...(kid && { kid }) }, goodClaims, secret);

  it('KEY-01 kid selects the key; a swapped kid is refused', () => {
    expect(reasonOf(tokenOf(`${SECRET}-older`, 'older'), by)).toBe('accepted');
    expect(reasonOf(tokenOf(`${SECRET}-newer`, 'newer'), by)).toBe('accepted');
    expect(reasonOf(tokenOf(`${SECRET}-newer`, 'older'), by)).toBe('signature');
    expect(reasonOf(tokenOf(`${SECRET}-older`, 'newer'), by)).toBe('signature');
    expect(reasonOf(tokenOf(`${SECRET}-older`, 'oldest'), by)).toBe('unknown_key');
  });

  it('KEY-01 a token without kid is for the one key without kid, or for the only key', () => {
    const token = tokenOf(SECRET);
    expect(reasonOf(token, by)).toBe('unknown_key');
    expect(reasonOf(token, createTokenVerifier({ keys: [older, newer, hs256], clock }))).toBe('accepted');
    expect(reasonOf(tokenOf(`${SECRET}-older`), createTokenVerifier({ keys: [older], clock }))).toBe('accepted');
    expect(reasonOf(tokenOf(`${SECRET}-newer`), createTokenVerifier({ keys: [older], clock }))).toBe('signature');
  });

  it('KEY-01 a token with kid is not for a key without one', () => {
    expect(reasonOf(tokenOf(SECRET, 'older'), verifier)).toBe('unknown_key');
  });

  it('KEY-01 keys of different algorithms stand side by side, each with its own tokens only', () => {
    const rs256 = privateKey(rsa.privateKey, { kid: 'rsa' });
    const both = createTokenVerifier({ keys: [hs256, rs256], clock });
    expect(reasonOf(createTokenIssuer({ key: rs256, clock }).issue({ sub: 'ada' }), both)).toBe('accepted');
    expect(reasonOf(createTokenIssuer({ key: hs256, clock }).issue({ sub: 'ada' }), both)).toBe('accepted');
    expect(reasonOf(forge({ alg: 'HS256', typ: 'JWT', kid: 'rsa' }, goodClaims), both)).toBe('algorithm');
    expect(reasonOf(forgeRs256({ alg: 'RS256', typ: 'JWT' }, goodClaims), both)).toBe('algorithm');
  });

  it('a token of another secret is refused', () => {
    expect(reasonOf(forge({ alg: 'HS256', typ: 'JWT' }, goodClaims, `${SECRET}!`))).toBe('signature');
    const unsigned = createHmac('sha256', '').update(`${header}.${payload}`).digest('base64url');
    expect(reasonOf(`${header}.${payload}.${unsigned}`)).toBe('signature');
  });
});
