import { createHash, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenIssuer, privateKey, publicJwks, type TokenKey } from 'doorward/tokens';

export const AUDIENCE = 'https://api.example.org';
const pairs = new Map<string, TokenKey>();

/** A signing key of another party; the same name gives the same key. */
export function foreignKey(kid: string): TokenKey {
  const known = pairs.get(kid);
  if (known !== undefined) return known;
  const key = privateKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, { kid });
  pairs.set(kid, key);
  return key;
}

export function jwksOf(...kids: readonly string[]): { keys: JsonWebKey[] } {
  return { keys: [...publicJwks(kids.map(foreignKey)).keys] };
}

export function tokenOf(kid: string, issuer: string, claims: object = {}, typ = 'at+jwt', audience = AUDIENCE): string {
  return createTokenIssuer({ key: foreignKey(kid), issuer, audience, typ }).issue({ sub: 'ada', ...claims });
}

export interface Source {
  readonly origin: string;
  /** How often each path was asked for. */
  readonly hits: Map<string, number>;
  /** The largest number of requests that were open at once. */
  readonly open: { now: number; most: number };
  /** Answers every path that is not the metadata. */
  answer: RequestListener;
  close(): Promise<void>;
}

/** Answers with JSON, as an issuer does. */
export function json(body: unknown, type = 'application/json'): RequestListener {
  return (_, response) => void response.writeHead(200, { 'content-type': type }).end(JSON.stringify(body));
}

/** An issuer on this machine whose answers a test can make as bad as it likes. */
export async function startSource(answer: RequestListener): Promise<Source> {
  const hits = new Map<string, number>();
  const open = { now: 0, most: 0 };
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    hits.set(path, (hits.get(path) ?? 0) + 1);
    open.most = Math.max(open.most, ++open.now);
    response.once('close', () => open.now--);
    const isMetadata = path === '/.well-known/openid-configuration';
    const metadata = json({ issuer: source.origin, jwks_uri: `${source.origin}/jwks` });
    return (isMetadata ? metadata : source.answer)(request, response);
  });
  const source: Source = { origin: await listen(server), hits, open, answer, close: () => stop(server) };
  return source;
}

export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A name that no key has, and looks like one that a key could have. */
export function randomKid(seed: number): string {
  return createHash('sha256').update(String(seed)).digest('base64url');
}
