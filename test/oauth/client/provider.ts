import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenIssuer, privateKey, publicJwks } from 'doorward/tokens';

export type Claims = Readonly<Record<string, unknown>>;

/** A provider that can be told to lie. */
export interface Provider {
  readonly issuer: string;
  /** Bodies of the requests of the token endpoint, in order. */
  readonly asked: URLSearchParams[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** Changes of the metadata. */
  metadata: Claims;
  /** Claims that are put into the next ID token, and over what else would be there. */
  idToken: Claims;
  /** Changes of the token response; `undefined` takes a member away. */
  tokens: Claims;
  /** Answers the token endpoint in place of the provider. */
  answer:
    | ((respond: (status: number, body: string, type?: string, headers?: Record<string, string>) => void) => void)
    | undefined;
  userinfo: Claims;
  close(): Promise<void>;
}

const key = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k' });
const forged = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k' });

export async function startProvider(): Promise<Provider> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = {
    issuer,
    asked: [],
    headers: [],
    metadata: {},
    idToken: {},
    tokens: {},
    answer: undefined,
    userinfo: { sub: 'ada' },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  server.on('request', async (request, response) => {
    const respond = (status: number, body: string, type = 'application/json', headers: Record<string, string> = {}) =>
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    switch (request.url) {
      case '/.well-known/openid-configuration':
      case '/.well-known/oauth-authorization-server':
        return respond(
          200,
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            revocation_endpoint: `${issuer}/revoke`,
            jwks_uri: `${issuer}/jwks`,
            authorization_response_iss_parameter_supported: true,
            ...provider.metadata,
          }),
        );
      case '/jwks':
        return respond(200, JSON.stringify(publicJwks([key])));
      case '/userinfo':
        return respond(200, JSON.stringify(provider.userinfo));
      case '/revoke':
        provider.asked.push(form);
        return respond(200, '', 'text/plain');
      case '/token': {
        provider.asked.push(form);
        provider.headers.push(request.headers);
        if (provider.answer !== undefined) return provider.answer(respond);
        const { forge = false, sub = 'ada', iss = issuer, aud = 'app', ...claims } = provider.idToken;
        const signer = createTokenIssuer({
          key: forge === true ? forged : key,
          issuer: String(iss),
          audience: aud as string | string[],
          ttlSeconds: 600,
        });
        const tokens = {
          access_token: 'an-access-token',
          token_type: 'Bearer',
          expires_in: 3_600,
          refresh_token: `refresh-${provider.asked.length}`,
          id_token: signer.issue({ sub: String(sub), ...claims }),
          ...provider.tokens,
        };
        return respond(200, JSON.stringify(tokens));
      }
      default:
        return respond(404, '{}');
    }
  });
  return provider;
}
