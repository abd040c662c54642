import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { inspect } from 'node:util';
import type { ClientCertificate } from 'doorward';
import { type ClientMetadata, createClientRegistry } from 'doorward/oauth';
import { describe, expect, it } from 'vitest';
import { isRegisteredRedirectUri } from '../../src/oauth/clients/redirect-uri.ts';

const SECRET = 'kE2v9pXr7QmZt4Ls8WnYb3Hd6Jc1Gf5A';
const HASH = createHash('sha256').update(SECRET).digest('base64url');
const CALLBACK = 'https://app.example.org/callback';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsaJwk = rsa.publicKey.export({ format: 'jwk' });
const ecJwk = ec.publicKey.export({ format: 'jwk' });

/** Registrations that may be anything, as a JSON file may. */
type Loose = Readonly<Record<string, unknown>>;
const SPA = { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [CALLBACK], scope: 'openid' };
const BATCH = {
  client_id: 'batch',
  token_endpoint_auth_method: 'client_secret_basic',
  client_secret: SECRET,
  scope: 'create',
};
const KEYED = { ...BATCH, token_endpoint_auth_method: 'private_key_jwt', client_secret: undefined };
const TLS = { client_id: 'tls', token_endpoint_auth_method: 'tls_client_auth', scope: 'create' };
const keyed = (jwks: unknown): Loose => ({ ...without(KEYED, 'client_secret'), jwks });

const registryOf = (...clients: readonly Loose[]) =>
  createClientRegistry(clients as unknown as readonly ClientMetadata[]);
const read = (client: Loose) => registryOf(client).clients[0];

function without(holder: Loose, name: string): Loose {
  const { [name]: _, ...rest } = holder;
  return rest;
}

function refusalOf(...clients: readonly Loose[]): { code?: string; field?: string; message?: string } {
  try {
    registryOf(...clients);
  } catch (error) {
    return error as object;
  }
  return {};
}

describe('a registered client', () => {
  it('has every default in its place', () => {
    expect(read(SPA)).toEqual({
      ...{ id: 'spa', name: 'spa', isNative: false, redirectUris: [CALLBACK], authMethod: 'none', scopes: ['openid'] },
      ...{ grantTypes: ['authorization_code', 'refresh_token'], consent: 'ask', roles: [], introspects: [] },
      ...{ bindsToCertificate: false, requiresDpop: false },
    });
    expect(read(BATCH)?.grantTypes).toEqual(['client_credentials']);
  });

  it('is what its registration says', () => {
    const full = {
      ...{ ...BATCH, client_name: 'Nightly build', application_type: 'native', redirect_uris: ['org.example.app:/cb'] },
      ...{ grant_types: ['authorization_code', 'client_credentials'], scope: 'openid create', consent: 'implied' },
      ...{ roles: ['editor'], resources: ['https://api.example.org'], introspects: ['urn:example:reports'] },
      tls_client_certificate_bound_access_tokens: true,
      client_uri: 'https://app.example.org/',
    };
    expect(read(full)).toEqual({
      ...{ id: 'batch', name: 'Nightly build', uri: 'https://app.example.org/', isNative: true },
      ...{ redirectUris: ['org.example.app:/cb'], authMethod: 'client_secret_basic', scopes: ['openid', 'create'] },
      ...{ grantTypes: ['authorization_code', 'client_credentials'], consent: 'implied', roles: ['editor'] },
      ...{ resources: ['https://api.example.org'], introspects: ['urn:example:reports'] },
      ...{ bindsToCertificate: true, requiresDpop: false },
    });
    expect(read({ ...SPA, dpop_bound_access_tokens: true })).toMatchObject({ requiresDpop: true });
  });

  it('is frozen, with its lists, and apart from what it was made of', () => {
    const uris = [CALLBACK];
    const roles = ['editor'];
    const registry = registryOf({ ...SPA, redirect_uris: uris }, { ...BATCH, roles });
    uris.push('https://evil.example/');
    roles.push('admin');
    const [spa, batch] = registry.clients;
    expect(spa?.redirectUris).toEqual([CALLBACK]);
    expect(batch?.roles).toEqual(['editor']);
    for (const frozen of [registry, registry.clients, spa, spa?.redirectUris, spa?.scopes, batch?.roles]) {
      expect(Object.isFrozen(frozen)).toBe(true);
    }
  });

  it('comes of parsed JSON as well', () => {
    expect(createClientRegistry(JSON.parse(JSON.stringify([SPA, BATCH]))).clients).toHaveLength(2);
    const smuggled = JSON.parse(`[{"__proto__": {"roles": ["admin"]}, "client_id": "x"}]`);
    expect(() => createClientRegistry(smuggled)).toThrow('clients[0].__proto__ is not a known member');
  });

  it('is found by exactly its id', () => {
    const registry = registryOf(SPA, { ...BATCH, client_id: '__proto__' });
    expect(registry.find('spa')?.client.id).toBe('spa');
    expect(registry.find('__proto__')?.client.id).toBe('__proto__');
    const others = ['', 'SPA', 'spa ', 'constructor', 'toString', undefined, null, 0, ['spa'], { id: 'spa' }];
    for (const other of others) expect(registry.find(other)).toBeUndefined();
  });
});

describe('registration', () => {
  it.each<[string, unknown]>([
    ['clients', undefined],
    ['clients', { 0: SPA }],
    ['clients[0]', [null]],
    ['clients[0]', ['spa']],
    ['clients[0]', [[SPA]]],
    ['clients[0]', [Object.create(SPA)]],
    ['clients[1].client_id', [SPA, { ...BATCH, client_id: 'spa' }]],
  ])('is refused for %s', (field, clients) => {
    expect(() => createClientRegistry(clients as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });

  it('reads no inherited member', () => {
    const inheriting = Object.assign(Object.create({ dpop_bound_access_tokens: false, client_id: 'spa' }), SPA);
    expect(refusalOf(inheriting).field).toBe('clients[0]');
    expect(refusalOf(without(SPA, 'scope')).field).toBe('clients[0].scope');
  });

  it.each<[string, Loose]>([
    ['client_id', { ...SPA, client_id: '' }],
    ['client_id', { ...SPA, client_id: 'a:b' }],
    ['client_id', { ...SPA, client_id: 'a b' }],
    ['client_id', { ...SPA, client_id: 'a\n' }],
    ['client_id', { ...SPA, client_id: 'é' }],
    ['client_id', { ...SPA, client_id: 'x'.repeat(257) }],
    ['client_id', { ...SPA, client_id: 7 }],
    ['client_id', without(SPA, 'client_id')],
    ['clientId', { ...SPA, clientId: 'spa' }],
    ['post_logout_redirect_uris', { ...SPA, post_logout_redirect_uris: [] }],
    ['client_name', { ...SPA, client_name: '' }],
    ['client_name', { ...SPA, client_name: 'two\nlines' }],
    ['client_uri', { ...SPA, client_uri: 'javascript:alert(1)' }],
    ['client_uri', { ...SPA, client_uri: 'http://app.example.org/' }],
    ['application_type', { ...SPA, application_type: 'Native' }],
    ['token_endpoint_auth_method', { ...SPA, token_endpoint_auth_method: 'client_secret_jwt' }],
    ['token_endpoint_auth_method', { ...SPA, token_endpoint_auth_method: 'constructor' }],
    ['token_endpoint_auth_method', without(SPA, 'token_endpoint_auth_method')],
    ['redirect_uris', { ...SPA, redirect_uris: CALLBACK }],
    ['redirect_uris', { ...SPA, redirect_uris: [], grant_types: ['authorization_code'] }],
    ['redirect_uris[1]', { ...SPA, redirect_uris: [CALLBACK, CALLBACK] }],
    ['grant_types', without(SPA, 'redirect_uris')],
    ['grant_types', { ...SPA, grant_types: ['authorization_code', 'client_credentials'] }],
    ['grant_types', { ...SPA, grant_types: 'authorization_code' }],
    ['grant_types', { ...BATCH, grant_types: ['refresh_token'] }],
    ['grant_types[0]', { ...SPA, grant_types: ['password'] }],
    ['grant_types[0]', { ...SPA, grant_types: ['implicit'] }],
    ['grant_types[1]', { ...SPA, grant_types: ['authorization_code', 'authorization_code'] }],
    ['scope', { ...SPA, scope: 'a"b' }],
    ['scope', { ...SPA, scope: 'a\\b' }],
    ['scope', { ...SPA, scope: 'a  b' }],
    ['scope', { ...SPA, scope: ' a' }],
    ['scope', { ...SPA, scope: 'a\u00e9' }],
    ['scope', { ...SPA, scope: 'a a' }],
    ['scope', { ...SPA, scope: ['openid'] }],
    ['scope', { ...SPA, scope: Array.from({ length: 101 }, (_, index) => index).join(' ') }],
    ['consent', { ...SPA, consent: true }],
    ['roles', { ...SPA, roles: ['editor'] }],
    ['roles', { ...BATCH, grant_types: ['authorization_code'], redirect_uris: [CALLBACK], roles: ['editor'] }],
    ['roles[0]', { ...BATCH, roles: [''] }],
    ['resources', { ...SPA, resources: [] }],
    ['resources[0]', { ...SPA, resources: ['/api'] }],
    ['resources[0]', { ...SPA, resources: ['https://api.example.org#a'] }],
    ['introspects', { ...SPA, introspects: ['https://api.example.org'] }],
    ['introspects[0]', { ...BATCH, introspects: [7] }],
    ['dpop_bound_access_tokens', { ...SPA, dpop_bound_access_tokens: 'true' }],
    ['dpop_bound_access_tokens', { ...SPA, dpop_bound_access_tokens: undefined }],
    ['tls_client_certificate_bound_access_tokens', { ...SPA, tls_client_certificate_bound_access_tokens: 1 }],
  ])('is refused for its %s: %j', (name, client) => {
    expect(refusalOf(client)).toMatchObject({ code: 'CONFIG_INVALID', field: `clients[0].${name}` });
  });

  it('takes a resource server that only introspects', () => {
    expect(read({ ...BATCH, grant_types: [], scope: '' })).toMatchObject({ grantTypes: [], scopes: [] });
  });
});

describe('redirect URIs', () => {
  const refused = [
    ...['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:x'],
    ...['https://app.example.org/cb#', 'https://app.example.org/cb#fragment', 'https://*.example.org/cb'],
    ...['https://app.example.org/*', '/callback', 'callback', '//app.example.org/cb', '', 'about:blank'],
    ...['http://app.example.org/cb', 'http://127.0.0.2/cb', 'http://127.0.0.1.evil.example/cb', 'http://localhost./cb'],
    ...['http://[::2]/cb', 'http://0.0.0.0/cb', 'http://127.1/cb', 'https://user@app.example.org/cb'],
    ...['https://user:word@app.example.org/cb', 'https://@app.example.org/cb', 'https://APP.example.org/cb'],
    ...['https://app.example.org:443/cb', 'https://app.example.org/a/../cb', 'https://app.example.org/%2e%2e/cb'],
    ...['https://app.example.org\\cb', 'https:/app.example.org/cb', 'https:app.example.org/cb', 'https:///cb'],
    ...[' https://app.example.org/cb', 'https://app.example.org/cb\n', 'https://app.example.org/c b', 'https://é.org/'],
    ...[
      'https://app.example.org/cb?code=1',
      'https://app.example.org/cb?a=1&state=x',
      'https://app.example.org/cb?iss',
    ],
    ...[
      'ws://127.0.0.1/',
      'ftp://app.example.org/',
      'urn:ietf:wg:oauth:2.0:oob',
      'null',
      7,
      null,
      undefined,
      [CALLBACK],
    ],
  ];

  it.each(refused)('OAU-05 %j is never registered', (uri) => {
    for (const application_type of ['web', 'native']) {
      expect(refusalOf({ ...SPA, application_type, redirect_uris: [CALLBACK, uri] })).toMatchObject({
        code: 'CONFIG_INVALID',
        field: 'clients[0].redirect_uris[1]',
      });
    }
  });

  it.each([
    ...[CALLBACK, 'https://app.example.org', 'https://app.example.org/', 'https://app.example.org:8443/cb?a=1&b=2'],
    ...['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:8080/', 'https://192.0.2.1/cb'],
  ])('%s is registered for every application', (uri) => {
    for (const application_type of ['web', 'native']) {
      expect(read({ ...SPA, application_type, redirect_uris: [uri] })?.redirectUris).toEqual([uri]);
    }
  });

  it.each(['org.example.app:/callback', 'org.example.app://callback/x', 'com.example-2.app:/cb?a=1'])(
    '%s is for native applications only',
    (uri) => {
      expect(read({ ...SPA, application_type: 'native', redirect_uris: [uri] })?.redirectUris).toEqual([uri]);
      expect(refusalOf({ ...SPA, redirect_uris: [uri] }).field).toBe('clients[0].redirect_uris[0]');
    },
  );

  it.each(['myapp:/callback', 'myapp://callback', 'myapp.:/cb', '.org.example:/cb', 'x:/cb'])(
    'RFC 8252 section 7.1 %s could be anybody',
    (uri) => {
      const native = { ...SPA, application_type: 'native', redirect_uris: [uri] };
      expect(refusalOf(native).field).toBe('clients[0].redirect_uris[0]');
    },
  );

  const allows = (isNative: boolean, registered: string, uri: string) =>
    isRegisteredRedirectUri({ isNative, redirectUris: [registered] }, uri);

  it.each([
    ...['https://app.example.org/callback/', 'https://app.example.org/Callback', 'https://app.example.org/callback?'],
    ...['https://app.example.org/callback#', 'https://app.example.org:443/callback', 'https://app.example.org/'],
    ...['https://APP.example.org/callback', 'https://app.example.org/call%62ack', 'https://app.example.org/callback '],
    ...[
      'https://app.example.org/callback/../callback',
      'https://app.example.org/callbackx',
      'http://app.example.org/callback',
    ],
    ...['https://app.example.org/callback%00', 'https://evil.example/https://app.example.org/callback', ''],
  ])('D12 %j is another one than the registered', (uri) => {
    expect(allows(false, CALLBACK, CALLBACK)).toBe(true);
    expect([allows(false, CALLBACK, uri), allows(true, CALLBACK, uri)]).toEqual([false, false]);
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1:51004/cb'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb?a=1', 'http://[::1]:65535/cb?a=1'],
  ])('OAU-04 %s takes %s of a native application, and of no other', (registered, uri) => {
    expect(allows(true, registered, uri)).toBe(true);
    expect(allows(false, registered, uri)).toBe(false);
  });

  it.each([
    ...[
      'http://localhost:51004/cb',
      'http://[::1]:51004/cb',
      'http://127.0.0.2:51004/cb',
      'https://127.0.0.1:51004/cb',
    ],
    ...[
      'http://127.0.0.1:51004/cb/',
      'http://127.0.0.1:51004/cb?a=1',
      'http://127.0.0.1:51004/CB',
      'http://127.0.0.1:5',
    ],
    ...['http://127.0.0.1:0/cb', 'http://127.0.0.1:65536/cb', 'http://127.0.0.1:/cb', 'http://127.0.0.1:080/cb'],
    ...['http://127.0.0.1:80@evil.example/cb', 'http://127.0.0.1.evil.example:80/cb', 'http://127.0.0.1:51004/cb#x'],
    ...[
      'http://user@127.0.0.1:51004/cb',
      'HTTP://127.0.0.1:51004/cb',
      'http://127.0.0.1:51004/cb\n',
      ' http://127.0.0.1/cb',
    ],
    ...['http://127.0.0.1:51004\\@evil.example/cb', 'http://127.0.0.1:1:2/cb', 'http://127.0.0.1:+51/cb'],
  ])('OAU-04 http://127.0.0.1/cb does not take %j', (uri) => {
    expect(allows(true, 'http://127.0.0.1/cb', uri)).toBe(false);
  });

  it('OAU-04 the name localhost has no free port', () => {
    expect(allows(true, 'http://localhost:3000/cb', 'http://localhost:3000/cb')).toBe(true);
    expect(allows(true, 'http://localhost:3000/cb', 'http://localhost:51004/cb')).toBe(false);
  });
});

describe('credentials', () => {
  it('a secret is kept as its hash, and stands nowhere', () => {
    const registry = registryOf(BATCH);
    const { secretHash } = registry.find('batch') ?? {};
    expect(secretHash?.toString('base64url')).toBe(HASH);
    const { client_secret: _, ...rest } = BATCH;
    expect(registryOf({ ...rest, client_secret_hash: HASH }).find('batch')?.secretHash).toEqual(secretHash);
    const shown = inspect([registry, registry.find('batch')], { depth: null, showHidden: true });
    expect(shown).not.toContain(SECRET);
    expect(JSON.stringify(registry.clients)).not.toContain(HASH);
  });

  it.each<[string, Loose]>([
    ['', without(BATCH, 'client_secret')],
    ['', { ...BATCH, client_secret_hash: HASH }],
    ['.client_secret', { ...BATCH, client_secret: SECRET.slice(1) }],
    ['.client_secret', { ...BATCH, client_secret: `${SECRET}é` }],
    ['.client_secret', { ...BATCH, client_secret: 'my-super-secret-password-for-the-client' }],
    ['.client_secret', { ...BATCH, client_secret: 'abcd1234'.repeat(8) }],
    ['.client_secret', { ...BATCH, client_secret: JSON.stringify(ecJwk) }],
    ['.client_secret', { ...BATCH, client_secret: undefined }],
    ['.client_secret_hash', { ...without(BATCH, 'client_secret'), client_secret_hash: SECRET }],
    ['.client_secret_hash', { ...without(BATCH, 'client_secret'), client_secret_hash: `${HASH}=` }],
    ['.client_secret_hash', { ...without(BATCH, 'client_secret'), client_secret_hash: `${HASH.slice(0, 42)}+` }],
    ['.client_secret', { ...SPA, client_secret: SECRET }],
    ['.client_secret_hash', { ...SPA, client_secret_hash: HASH }],
    ['.jwks', { ...BATCH, jwks: { keys: [rsaJwk] } }],
    ['.client_secret', { ...TLS, tls_client_auth_san_dns: 'a.example', client_secret: SECRET }],
  ])('a client%s is refused whose secret cannot be meant', (member, client) => {
    const refusal = refusalOf(client);
    expect(refusal).toMatchObject({ code: 'CONFIG_INVALID', field: `clients[0]${member}` });
    const shown = inspect(refusal, { depth: null, showHidden: true });
    for (const secret of [client.client_secret, client.client_secret_hash]) {
      if (typeof secret === 'string') expect(shown).not.toContain(secret);
    }
  });

  it.each<[string, unknown]>([
    ['jwks', undefined],
    ['jwks', 'https://app.example.org/jwks'],
    ['jwks.keys', {}],
    ['jwks.keys', { keys: [] }],
    ['jwks.keys', { keys: rsaJwk }],
    ['jwks.keys', { keys: Array.from({ length: 17 }, (_, kid) => ({ ...ecJwk, kid: `${kid}` })) }],
    ['jwks.uri', { keys: [rsaJwk], uri: 'https://app.example.org/jwks' }],
    ['jwks.keys[1]', { keys: [ecJwk, null] }],
    ['jwks.keys[1]', { keys: [ecJwk, rsa.privateKey.export({ format: 'jwk' })] }],
    ['jwks.keys[0]', { keys: [{ ...rsaJwk, p: 'AQAB' }] }],
    ['jwks.keys[0]', { keys: [{ kty: 'oct', k: Buffer.from(SECRET).toString('base64url') }] }],
    ['jwks.keys[0]', { keys: [{ ...rsaJwk, use: 'enc' }] }],
    ['jwks.keys[0].alg', { keys: [{ ...rsaJwk, alg: 'HS256' }] }],
    ['jwks.keys[0].alg', { keys: [{ ...rsaJwk, alg: 'RS384' }] }],
    ['jwks.keys[0].kid', { keys: [{ ...rsaJwk, kid: 7 }] }],
    [
      'jwks.keys[0]',
      { keys: [generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' })] },
    ],
    [
      'jwks.keys[0]',
      { keys: [generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })] },
    ],
    [
      'jwks.keys',
      {
        keys: [
          { ...rsaJwk, kid: 'a' },
          { ...ecJwk, kid: 'a' },
        ],
      },
    ],
    [
      'jwks.keys',
      {
        keys: [
          { ...rsaJwk, kid: 'a', alg: 'RS256' },
          { ...rsaJwk, kid: 'b', alg: 'PS256' },
        ],
      },
    ],
  ])('private_key_jwt is refused for its %s', (member, jwks) => {
    expect(refusalOf(keyed(jwks))).toMatchObject({ code: 'CONFIG_INVALID', field: `clients[0].${member}` });
  });

  it('no private key stands in a refusal', () => {
    const jwk = ec.privateKey.export({ format: 'jwk' });
    const shown = inspect(refusalOf(keyed({ keys: [jwk] })), { depth: null, showHidden: true });
    expect(shown).toContain('private');
    expect(shown).not.toContain(jwk.d);
  });

  it('an assertion is checked with the key that its kid names', () => {
    const jwks = {
      keys: [
        { ...rsaJwk, kid: 'r' },
        { ...ecJwk, kid: 'e' },
      ],
    };
    const verify = registryOf(keyed(jwks)).find('batch')?.verifyAssertion;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = (kid: string, key = ec.privateKey) => {
      const text = `${encode({ alg: 'ES256', kid })}.${encode({ iss: 'batch' })}`;
      return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    expect(verify?.(signed('e'))).toMatchObject({ payload: Buffer.from('{"iss":"batch"}') });
    expect(verify?.(signed('r'))).toBe('algorithm');
    expect(verify?.(signed('x'))).toBe('unknown_key');
    expect(verify?.(signed('e', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))).toBe('signature');
  });
});

describe('tls_client_auth', () => {
  const certificate = (fields: Partial<ClientCertificate>): ClientCertificate => ({
    ...{ thumbprint: 'thumbprint', subject: { CN: 'billing', O: 'Example' }, names: [], notAfter: 0 },
    ...fields,
  });
  const isOwn = (members: Loose, fields: Partial<ClientCertificate>) =>
    registryOf({ ...TLS, ...members })
      .find('tls')
      ?.isOwnCertificate?.(certificate(fields));

  it('knows a subject by all of its attributes', () => {
    const members = { tls_client_auth_subject_dn: { O: 'Example', CN: 'billing' } };
    expect(isOwn(members, {})).toBe(true);
    for (const subject of [
      ...[{ CN: 'billing' }, { CN: 'billing', O: 'Example', OU: 'x' }, { CN: 'Billing', O: 'Example' }, {}],
      ...[{ CN: 'billing","O":"Example' }, { CN: 'Example', O: 'billing' }],
    ]) {
      expect(isOwn(members, { subject: subject as Record<string, string> })).toBe(false);
    }
  });

  it('knows a name with its kind, letter by letter', () => {
    const dns = { tls_client_auth_san_dns: 'billing.example.org' };
    expect(isOwn(dns, { names: ['DNS:other.example.org', 'DNS:billing.example.org'] })).toBe(true);
    for (const name of [
      'URI:billing.example.org',
      'DNS:x.billing.example.org',
      'DNS:*.example.org',
      'billing.example.org',
    ]) {
      expect(isOwn(dns, { names: [name] })).toBe(false);
    }
    const uri = { tls_client_auth_san_uri: 'spiffe://example.org/billing' };
    expect(isOwn(uri, { names: ['URI:spiffe://example.org/billing'] })).toBe(true);
    expect(isOwn(uri, { names: ['URI:spiffe://example.org/billing/x', 'DNS:spiffe://example.org/billing'] })).toBe(
      false,
    );
  });

  it.each<[string, Loose]>([
    ['', {}],
    ['', { tls_client_auth_san_dns: 'a.example', tls_client_auth_san_uri: 'spiffe://a' }],
    ['.tls_client_auth_subject_dn', { tls_client_auth_subject_dn: {} }],
    ['.tls_client_auth_subject_dn', { tls_client_auth_subject_dn: 'CN=billing' }],
    ['.tls_client_auth_subject_dn', { tls_client_auth_subject_dn: { CN: '' } }],
    ['.tls_client_auth_san_dns', { tls_client_auth_san_dns: '*.example.org' }],
    ['.tls_client_auth_san_dns', { tls_client_auth_san_dns: '' }],
    ['.tls_client_auth_san_uri', { tls_client_auth_san_uri: 'billing' }],
    ['.tls_client_auth_san_ip', { tls_client_auth_san_ip: '192.0.2.1' }],
  ])('is refused for clients[0]%s: %j', (member, members) => {
    expect(refusalOf({ ...TLS, ...members })).toMatchObject({ code: 'CONFIG_INVALID', field: `clients[0]${member}` });
  });
});
