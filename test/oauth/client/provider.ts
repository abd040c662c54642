import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTokenIssuer, privateKey, publicJwks, type TokenKey } from 'doorward/tokens';

export type Claims = Readonly<Record<string, unknown>>;

export type Answerer = (
  respond: (status: number, body: string | Buffer, type?: string, headers?: Record<string, string>) => void,
  response: ServerResponse,
) => void;

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
  answer: Answerer | undefined;
  /** Changes of the key set. */
  jwks: Claims;
  userinfo: Claims;
  /** Answers the userinfo endpoint in place of the provider. */
  answerUserinfo: Answerer | undefined;
  /** The finished ID token in place of one of the provider's. */
  wholeIdToken: ((claims: Claims) => string) | undefined;
  close(): Promise<void>;
}

export const key: TokenKey = privateKey(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey, { kid: 'k' });
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
    jwks: {},
    userinfo: { sub: 'ada' },
    answerUserinfo: undefined,
    wholeIdToken: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  server.on('request', async (request, response) => {
    const respond = (
      status: number,
      body: string | Buffer,
      type = 'application/json',
      headers: Record<string, string> = {},
    ) => response.writeHead(status, { 'content-type': type, ...headers }).end(body);
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
        return respond(200, JSON.stringify({ ...publicJwks([key]), ...provider.jwks }));
      case '/userinfo':
        if (provider.answerUserinfo !== undefined) return provider.answerUserinfo(respond, response);
        return respond(200, JSON.stringify(provider.userinfo));
      case '/revoke':
        provider.asked.push(form);
        return respond(200, '', 'text/plain');
      case '/token': {
        provider.asked.push(form);
        provider.headers.push(request.headers);
        if (provider.answer !== undefined) return provider.answer(respond, response);
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
          id_token: provider.wholeIdToken?.(claims) ?? signer.issue({ sub: String(sub), ...claims }),
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
