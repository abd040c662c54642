import {
  type Authenticator,
  allow,
  type Caller,
  DoorwardError,
  deny,
  environmentSource,
  type Principal,
} from 'doorward';
import { createGate, createRouter, errorResponse, type GateOptions, type Handler, json } from 'doorward/http';
import { describe, expect, it } from 'vitest';
import { INFO } from './support.ts';

const METADATA = 'https://api.example.org/.well-known/oauth-protected-resource';
const ANNOUNCED = `resource_metadata="${METADATA}"`;
const ALGS = 'algs="ES256 RS256 PS256"';
const PROOF = 'e30.e30.c2ln';
const SCOPED = 'error="insufficient_scope", scope="create"';
const STEP_UP =
  'error="insufficient_user_authentication", ' +
  'error_description="A more recent or stronger login is required", max_age="900"';

const ada: Principal = { id: 'u-ada', roles: [], attributes: {} };
const authenticate: Authenticator = (token) =>
  token === 'good' ? { ok: true, principal: ada } : { ok: false, reason: 'signature' };

function handlerOf(options: Partial<GateOptions> = {}): Handler {
  const pdp = { decide: () => deny('insufficient_scope', { scope: 'create' }) };
  const gate = createGate({ authenticate, pdp, environment: environmentSource(), ...options });
  return createRouter({
    'GET /open': gate.optional((_request, _info, { principal }) => json(200, { id: principal?.id ?? null })),
    'GET /mine': gate.authenticated(() => json(200, {})),
    'GET /create': gate.requirePermission('create', () => json(200, {})),
    'GET /recent': gate.authenticated(() => json(200, {}), { maxAuthAgeSeconds: 900 }),
    'GET /throws': gate.authenticated(() => {
      throw new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp: { maxAgeSeconds: 900 } });
    }),
  });
}

async function ask(handler: Handler, path: string, headers: Record<string, string> = {}) {
  const response = await handler(new Request(`https://api.example.org${path}`, { headers }), INFO);
  return [response.status, response.headers.get('www-authenticate')];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const dpop = (token: string, proof = PROOF) => ({ authorization: `DPoP ${token}`, dpop: proof });

describe('resourceMetadata', () => {
  it('stands in every challenge of the gate (RFC 9728 section 5.1)', async () => {
    const handler = handlerOf({ resourceMetadata: METADATA });
    expect(await ask(handler, '/mine')).toEqual([401, `Bearer ${ANNOUNCED}`]);
    expect(await ask(handler, '/mine', bearer('bad'))).toEqual([401, `Bearer error="invalid_token", ${ANNOUNCED}`]);
    expect(await ask(handler, '/open', bearer('bad'))).toEqual([401, `Bearer error="invalid_token", ${ANNOUNCED}`]);
    expect(await ask(handler, '/create', bearer('good'))).toEqual([403, `Bearer ${SCOPED}, ${ANNOUNCED}`]);
    for (const path of ['/recent', '/throws']) {
      expect(await ask(handler, path, bearer('good'))).toEqual([401, `Bearer ${STEP_UP}, ${ANNOUNCED}`]);
    }
    expect(await ask(handler, '/mine', dpop('bad'))).toEqual([
      401,
      `DPoP error="invalid_token", ${ANNOUNCED}, ${ALGS}`,
    ]);
  });

  it('refuses a certificate that is not good with the same challenge', async () => {
    const handler = handlerOf({
      resourceMetadata: METADATA,
      authenticateCaller: () => ({ ok: false, reason: 'expired' }),
    });
    expect(await ask(handler, '/mine')).toEqual([401, `Bearer ${ANNOUNCED}`]);
  });

  it.each([
    'http://api.example.org/x',
    'https://api.example.org/x#y',
    'https://ada:secret@api.example.org/x',
    'https://api.example.org/\r\nx: y',
    'https://api.example.org/\u00e9',
    '/.well-known/oauth-protected-resource',
    '',
    7,
    null,
  ])('is refused when it is %j', (resourceMetadata) => {
    const build = () => handlerOf({ resourceMetadata: resourceMetadata as never });
    expect(build).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field: 'resourceMetadata' }));
  });

  it('HTTP-22 cannot end the quoted string', async () => {
    const handler = handlerOf({ resourceMetadata: 'https://api.example.org/?a="b\\c' });
    const challenge = 'Bearer resource_metadata="https://api.example.org/?a=\\"b\\\\c"';
    expect(await ask(handler, '/mine')).toEqual([401, challenge]);
  });

  it('HTTP-22 is left out by errorResponse where no header could hold it', () => {
    const error = new DoorwardError('AUTH_NOT_AUTHENTICATED');
    for (const resourceMetadata of ['https://x/\r\ny: z', 'https://x/\u00e9', '']) {
      expect(errorResponse(error, { resourceMetadata }).headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});

describe('the scheme DPoP', () => {
  it('hands the proof and the request that it must be about to the authenticator, and only then', async () => {
    const callers: (Caller | undefined)[] = [];
    const handler = handlerOf({
      authenticate: (token, caller) => {
        callers.push(caller);
        return { ok: true, principal: { ...ada, id: token } };
      },
    });
    expect(await ask(handler, '/mine?x=1', dpop('good'))).toEqual([200, null]);
    expect(await ask(handler, '/mine', { authorization: 'dpop  good', dpop: PROOF })).toEqual([200, null]);
    expect(await ask(handler, '/mine', { ...bearer('good'), dpop: PROOF })).toEqual([200, null]);
    const url = 'https://api.example.org/mine';
    expect(callers).toEqual([
      { ...INFO, dpop: { proof: PROOF, method: 'GET', url: `${url}?x=1` } },
      { ...INFO, dpop: { proof: PROOF, method: 'GET', url } },
      INFO,
    ]);
  });

  it('is answered with its own challenge (RFC 9449 section 7.1)', async () => {
    const handler = handlerOf();
    expect(await ask(handler, '/mine', dpop('bad'))).toEqual([401, `DPoP error="invalid_token", ${ALGS}`]);
    expect(await ask(handler, '/recent', dpop('good'))).toEqual([401, `DPoP ${STEP_UP}, ${ALGS}`]);
    expect(await ask(handler, '/create', dpop('good'))).toEqual([403, `DPoP ${SCOPED}, ${ALGS}`]);
  });

  it.each([undefined, '', 'x', 'a.b', 'a.b.c.d', `${PROOF}, ${PROOF}`, 'a.b.=', `"${PROOF}"`])(
    'OAU-39 asks for exactly one proof, and %j is none: nothing is authenticated',
    async (proof) => {
      let calls = 0;
      const handler = handlerOf({
        authenticate: () => {
          calls += 1;
          return { ok: true, principal: ada };
        },
      });
      const headers = { authorization: 'DPoP good', ...(proof !== undefined && { dpop: proof }) };
      for (const path of ['/mine', '/open']) {
        expect(await ask(handler, path, headers)).toEqual([401, `DPoP error="invalid_dpop_proof", ${ALGS}`]);
      }
      expect(calls).toBe(0);
    },
  );

  it.each(['DPoP', 'DPoP a b', 'DPoP "a"', 'DPoP a, Bearer b', 'DPoP a, DPoP b'])(
    'OAU-39 %j is no token, and never anonymous',
    async (authorization) => {
      const headers = { authorization, dpop: PROOF };
      expect(await ask(handlerOf(), '/open', headers)).toEqual([401, `DPoP error="invalid_token", ${ALGS}`]);
    },
  );

  it.each(['DPoPa b', 'Bearer a, DPoP b', 'xDPoP a'])('%j is another scheme', async (authorization) => {
    const headers = { authorization, dpop: PROOF };
    expect(await ask(handlerOf(), '/open', headers)).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it('a proof without a token is nobody', async () => {
    expect(await ask(handlerOf(), '/mine', { dpop: PROOF })).toEqual([401, 'Bearer']);
  });
});

describe('two tokens at once', () => {
  it.each(['?access_token=other', '?x=1&access%5Ftoken=other', '?access_token='])(
    'one in the header and one in the query %s are 400 (RFC 6750 section 3.1)',
    async (query) => {
      const handler = handlerOf({ pdp: { decide: () => allow('rule') } });
      for (const path of ['/mine', '/open', '/create']) {
        const challenge = 'error="invalid_request"';
        expect(await ask(handler, path + query, bearer('good'))).toEqual([400, `Bearer ${challenge}`]);
        expect(await ask(handler, path + query, dpop('good'))).toEqual([400, `DPoP ${challenge}, ${ALGS}`]);
      }
    },
  );

  it('one in the query alone counts for nothing', async () => {
    expect(await ask(handlerOf(), '/mine?access_token=good')).toEqual([401, 'Bearer']);
    expect(await ask(handlerOf(), '/open?access_token=good')).toEqual([200, null]);
    expect(await ask(handlerOf(), '/mine?x=access_token', bearer('good'))).toEqual([200, null]);
  });
});
