import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBcryptHasher } from 'doorward/passwords';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openData } from '../../examples/data/data.ts';
import demoClients from '../../examples/identity/clients.development.json' with { type: 'json' };
import { readConfig } from '../../examples/server/config.ts';
import { startServer } from '../../examples/server/server.ts';
import { bearer, claimsOf, DEMO_PASSWORD, SECRET } from './harness.ts';

const NEW_SECRET = 'Zq7tXw3Lk9Vb2Rm8Hs5Jd1Gf6Pc4Ny0A';
const demoSecret = demoClients[2]?.client_secret ?? '';
const folders: string[] = [];
const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'doorward-'));
  folders.push(made);
  return made;
}

/** The service by its settings alone; hashes are cheap unless the settings are about hashing. */
async function start(env: Record<string, string>) {
  const config = readConfig({ PORT: '0', DATA_DIR: ':memory:', DEMO_PASSWORD, LOG_LEVEL: 'silent', ...env });
  const outside = env.PASSWORD_HASH === undefined ? { hasher: createBcryptHasher({ cost: 4 }) } : {};
  const server = await startServer(config, outside);
  running.push(server);
  return server;
}
const login = async (url: string, username: string, password = DEMO_PASSWORD) => {
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  return { status: response.status, token: token ?? '' };
};
const me = async (url: string, token: string) => (await fetch(`${url}/me`, { headers: bearer(token) })).status;
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

describe('keys', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = join(folder(), 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));

  it('signs with the key file where no secret is set, and publishes its public part', async () => {
    const { url } = await start({ SIGNING_KEY_FILE: file });
    const { token } = await login(url, 'viewer');
    expect(headerOf(token).alg).toBe('ES256');
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL('/jwks', url)));
    expect(payload.sub).toBe('viewer');
    const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: Record<string, unknown>[] };
    const own = keys.find(({ kty }) => kty === 'EC') ?? {};
    expect(Object.keys(own).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it('announces the key file beside a secret, which goes on signing', async () => {
    const { url } = await start({ SIGNING_SECRET: SECRET, SIGNING_KEY_FILE: file });
    expect(headerOf((await login(url, 'viewer')).token).alg).toBe('HS256');
    const { keys } = (await (await fetch(`${url}/jwks`)).json()) as { keys: { alg: string }[] };
    expect(keys.map(({ alg }) => alg)).toEqual(['RS256', 'ES256']);
  });

  it('signs OAuth tokens with the RSA key of the file, beside which others may stand', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const both = join(folder(), 'keys.pem');
    const pem = (key: typeof rsa) => String(key.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(both, pem(privateKey) + pem(rsa));
    const { url } = await start({ SIGNING_KEY_FILE: both });
    expect(headerOf((await login(url, 'viewer')).token).alg).toBe('ES256');
    const answer = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`demo-web:${demoSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const { protectedHeader } = await jwtVerify(token, createRemoteJWKSet(new URL('/jwks', url)), { audience: url });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(await me(url, token)).toBe(403);
  });

  it('in production serves OAuth with CLIENTS_FILE only, which needs an RSA key', async () => {
    const production = { NODE_ENV: 'production', SIGNING_SECRET: SECRET };
    const without = await start(production);
    expect((await fetch(`${without.url}/oauth/token`, { method: 'POST' })).status).toBe(404);
    const CLIENTS_FILE = 'examples/identity/clients.development.json';
    await expect(start({ ...production, CLIENTS_FILE })).rejects.toThrow('SIGNING_KEY_FILE');
    await expect(start({ ...production, CLIENTS_FILE, SIGNING_KEY_FILE: file })).rejects.toThrow('SIGNING_KEY_FILE');
  });

  it('refuses a CLIENTS_FILE by the path of what is wrong, without its secrets', () => {
    const bad = join(folder(), 'clients.json');
    writeFileSync(bad, JSON.stringify([{ ...demoClients[2], redirect_uris: ['https://*.example.org/cb'] }]));
    const read = () => readConfig({ DATA_DIR: ':memory:', SIGNING_SECRET: SECRET, CLIENTS_FILE: bad });
    expect(read).toThrow(/^CLIENTS_FILE is refused: clients\[0\]\.redirect_uris\[0\]/);
    expect(read).not.toThrow(demoSecret);
  });

  it('goes on with the tokens of the secret before, and of no other', async () => {
    const DATA_DIR = folder();
    const before = await start({ DATA_DIR, SIGNING_SECRET: SECRET });
    const { token } = await login(before.url, 'viewer');
    await running.pop()?.close();
    const after = await start({ DATA_DIR, SIGNING_SECRET: NEW_SECRET, PREVIOUS_SIGNING_SECRET: SECRET });
    expect(await me(after.url, token)).toBe(200);
    const newer = (await login(after.url, 'viewer')).token;
    expect(headerOf(newer).kid).not.toBe(headerOf(token).kid);
    await running.pop()?.close();
    const last = await start({ DATA_DIR, SIGNING_SECRET: NEW_SECRET });
    expect(await me(last.url, token)).toBe(401);
    expect(await me(last.url, newer)).toBe(200);
  });
});

describe('passwords', () => {
  const hashOf = async (dataDir: string) => {
    const data = await openData(dataDir);
    const { rows } = await data.db.query<{ password_hash: string }>(
      `SELECT password_hash FROM doorward_accounts WHERE username = 'viewer'`,
    );
    await data.close();
    return rows[0]?.password_hash ?? '';
  };

  it('replaces bcrypt hashes by Argon2id at the next login, and peppers them', async () => {
    const DATA_DIR = folder();
    const settings = { DATA_DIR, SIGNING_SECRET: SECRET };
    await start({ ...settings, PASSWORD_HASH: 'bcrypt' });
    await running.pop()?.close();
    expect(await hashOf(DATA_DIR)).toMatch(/^\$2b\$12\$/);
    const argon2 = await start({ ...settings, PASSWORD_HASH: 'argon2id' });
    expect((await login(argon2.url, 'viewer')).status).toBe(200);
    await running.pop()?.close();
    expect(await hashOf(DATA_DIR)).toMatch(/^\$argon2id\$/);
    const peppered = await start({ ...settings, PASSWORD_HASH: 'argon2id', PASSWORD_PEPPER: NEW_SECRET });
    expect((await login(peppered.url, 'viewer')).status).toBe(200);
    expect((await login(peppered.url, 'viewer', 'not the password')).status).toBe(401);
    await running.pop()?.close();
    expect(await hashOf(DATA_DIR)).toMatch(/^\$dw2\$p1\$argon2id\$/);
  }, 120_000);
});

describe('production', () => {
  it('makes the first administrator when a password for it is set, once', async () => {
    const DATA_DIR = folder();
    const settings = { DATA_DIR, SIGNING_SECRET: SECRET, NODE_ENV: 'production' };
    const plain = await start(settings);
    expect((await login(plain.url, 'admin')).status).toBe(401);
    await running.pop()?.close();
    const first = await start({ ...settings, ADMIN_PASSWORD: 'a first long passphrase' });
    const { token } = await login(first.url, 'admin', 'a first long passphrase');
    expect(claimsOf(token).sub).toBe('admin');
    const answer = await fetch(`${first.url}/api/users/none`, { method: 'DELETE', headers: bearer(token) });
    expect(answer.status).toBe(404);
    await running.pop()?.close();
    const again = await start({ ...settings, ADMIN_PASSWORD: 'another long passphrase' });
    expect((await login(again.url, 'admin', 'another long passphrase')).status).toBe(401);
    expect((await login(again.url, 'admin', 'a first long passphrase')).status).toBe(200);
  });
});
