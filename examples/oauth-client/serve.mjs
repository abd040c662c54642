// Serves the demo application on a loopback address: node examples/oauth-client/serve.mjs
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { ISSUER: issuer = 'http://127.0.0.1:4000', CLIENT_ID: clientId = 'demo-spa' } = process.env;
const { SCOPE: scope = 'openid profile', PORT: port = '5173' } = process.env;
const file = (name, type) => ({ type: `${type}; charset=utf-8`, body: readFileSync(new URL(name, import.meta.url)) });
const index = file('index.html', 'text/html');

/** Everything there is. No path of a request is ever a path of a file. */
const files = new Map([
  ['/', index],
  ['/callback', index],
  ['/app.js', file('app.js', 'text/javascript')],
  ['/oauth.js', file('oauth.js', 'text/javascript')],
  ['/style.css', file('style.css', 'text/css')],
  ['/config.json', { type: 'application/json', body: Buffer.from(JSON.stringify({ issuer, clientId, scope })) }],
]);

/** The scripts of this application may talk to itself and to its issuer, and to nobody else. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${new URL(issuer).origin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const server = createServer((request, response) => {
  const found = files.get((request.url ?? '').split('?', 1)[0]);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...headers, allow: 'GET, HEAD' }).end();
  } else if (found === undefined) {
    response.writeHead(404, headers).end();
  } else {
    response.writeHead(200, { ...headers, 'content-type': found.type, 'content-length': found.body.length });
    response.end(found.body);
  }
});
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`The demo application is at http://127.0.0.1:${server.address().port}, its issuer is ${issuer}`);
});
