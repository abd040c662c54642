import diagnostics from 'node:diagnostics_channel';
import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  AUDIT_CHANNEL,
  type AuditEvent,
  DoorwardError,
  isDoorwardError,
  type Principal,
  requireFactor,
  requireRecentAuth,
  type Session,
} from 'doorward';
import { type AuthContext, authDirectives, maskGraphQLError, protectSchema } from 'doorward/graphql';
import { createGate, createRouter, errorResponse, json } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { graphql, parse, subscribe } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const NOW = 1_800_000_000;
const INFO = { requestId: 'r-9', ip: '192.0.2.9' };

function login(age: number, acr?: string): Session {
  return {
    id: 's1',
    tokenId: 't1',
    authTime: NOW - age,
    expiresAt: NOW + 600,
    amr: ['pwd'],
    ...(acr !== undefined && { acr }),
  };
}

function principal(session?: Session, ...roles: readonly string[]): Principal {
  return { id: 'u1', roles, attributes: {}, ...(session !== undefined && { session }) };
}

/** Whoever cannot be known to have logged in lately with the right class, and how the trick goes. */
const INSUFFICIENT: readonly (readonly [string, Principal])[] = [
  ['an API key or a certificate, which has no login', principal()],
  ['a login one second too old', principal(login(901, 'aal2'))],
  ['a login of unknown time', principal({ ...login(0, 'aal2'), authTime: Number.NaN })],
  ['a login at infinity', principal({ ...login(0, 'aal2'), authTime: Number.POSITIVE_INFINITY })],
  ['a login of next year', principal(login(-31_536_000, 'aal2'))],
  ['a login whose time is a text', principal({ ...login(0, 'aal2'), authTime: String(NOW) as never })],
  ['a login without a class', principal(login(0))],
  ['a login of a lower class', principal(login(0, 'aal1'))],
  ['a class that only begins like the one asked for', principal(login(0, 'aal2x'))],
  ['a class in another case', principal(login(0, 'AAL2'))],
  ['several classes in one text', principal(login(0, 'aal1 aal2'))],
  ['a list of classes in place of one', principal(login(0, ['aal2'] as never))],
];

const events: AuditEvent[] = [];
const listen = (event: unknown): void => void events.push(event as AuditEvent);
const polluted = ['session', 'acr', 'authTime', 'acrValues', 'maxAgeSeconds'];

beforeEach(() => {
  events.length = 0;
  diagnostics.subscribe(AUDIT_CHANNEL, listen);
});
afterEach(() => {
  diagnostics.unsubscribe(AUDIT_CHANNEL, listen);
  for (const name of polluted) Reflect.deleteProperty(Object.prototype, name);
});

function caught(act: () => void): DoorwardError {
  try {
    act();
  } catch (error) {
    if (isDoorwardError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('direct calls', () => {
  const both = (who: Principal | undefined): void => {
    requireRecentAuth(who, 900, NOW * 1_000);
    requireFactor(who, ['aal2']);
  };

  it.each(INSUFFICIENT)('%s is not enough', (_name, who) => {
    expect(caught(() => both(who)).code).toBe('AUTH_REAUTHENTICATION_REQUIRED');
    expect(events).toMatchObject([{ type: 'step_up.required', accountId: 'u1' }]);
  });

  it('a recent login of the class is enough, to the very second', () => {
    both(principal(login(900, 'aal2')));
    both(principal(login(-30, 'aal2')));
    expect(events).toEqual([]);
  });

  it('nobody is not authenticated, which is another answer', () => {
    expect(caught(() => both(undefined)).code).toBe('AUTH_NOT_AUTHENTICATED');
    expect(events).toEqual([]);
  });

  it('classes have no order: a stronger one does not stand for a weaker one that is asked for', () => {
    const who = principal(login(0, 'aal2'));
    expect(caught(() => requireFactor(who, ['aal1'])).stepUp).toEqual({ acrValues: ['aal1'] });
    requireFactor(who, ['aal1', 'aal2']);
  });

  it('a session that only a polluted prototype has is none', () => {
    Reflect.set(Object.prototype, 'session', login(0, 'aal2'));
    expect(caught(() => both(principal())).code).toBe('AUTH_REAUTHENTICATION_REQUIRED');
    Reflect.deleteProperty(Object.prototype, 'session');
    Reflect.set(Object.prototype, 'acr', 'aal2');
    expect(caught(() => both(principal(login(0)))).code).toBe('AUTH_REAUTHENTICATION_REQUIRED');
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '900'])('an age of %j lets nobody through', (age) => {
    expect(caught(() => requireRecentAuth(principal(login(0)), age as number, NOW * 1_000)).code).toBe(
      'CONFIG_INVALID',
    );
  });

  it('at an unknown time nobody is recent', () => {
    expect(caught(() => requireRecentAuth(principal(login(0)), 900, Number.NaN)).code).toBe(
      'AUTH_REAUTHENTICATION_REQUIRED',
    );
  });

  it.each([
    [[]],
    [['']],
    [['a b']],
    [['a"b']],
    [['a\\b']],
    [['a\r\nset-cookie: x']],
    [[5]],
    ['aal2x\u00e9'],
    [undefined],
  ])('the classes %j let nobody through', (acr) => {
    expect(caught(() => requireFactor(principal(login(0, 'aal2')), acr as never)).code).toBe('CONFIG_INVALID');
  });
});

describe('the gate', () => {
  const open = (who: Principal, options: object) => {
    const gate = createGate({
      authenticate: () => ({ ok: true, principal: who }),
      pdp: contractRoles,
      environment: () => ({ time: NOW * 1_000 }),
    });
    const handler = createRouter({ 'POST /keys': gate.authenticated(() => json(200, {}), options) });
    const headers = { authorization: 'Bearer x' };
    return handler(new Request('http://localhost/keys', { method: 'POST', headers }), INFO);
  };

  it.each(INSUFFICIENT)('%s gets the challenge of RFC 9470, and one event tells of it', async (_name, who) => {
    const response = await open(who, { maxAuthAgeSeconds: 900, acr: ['aal2', 'phr'] });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", ' +
        'error_description="A more recent or stronger login is required", max_age="900", acr_values="aal2 phr"',
    );
    expect(await response.json()).toEqual({ error: 'A more recent or stronger login is required' });
    expect(events).toEqual([{ type: 'step_up.required', accountId: 'u1', point: 'POST /keys', ...INFO }]);
  });

  it('lets a good login through', async () => {
    expect((await open(principal(login(900, 'aal2')), { maxAuthAgeSeconds: 900, acr: 'aal2' })).status).toBe(200);
  });

  it('answers the same challenge for what a handler throws', async () => {
    const handler = createRouter({
      'POST /keys': () => {
        requireRecentAuth(principal(login(901)), 900, NOW * 1_000, { point: 'POST /keys', ...INFO });
        return json(200, {});
      },
    });
    const response = await handler(new Request('http://localhost/keys', { method: 'POST' }), INFO);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('max_age="900"');
    expect(events).toEqual([{ type: 'step_up.required', accountId: 'u1', point: 'POST /keys', ...INFO }]);
  });

  it('an error of your own cannot break out of the header', () => {
    const stepUp = {
      maxAgeSeconds: '1", x="' as never,
      acrValues: ['ok', 'a", error="invalid_token', 'b\r\nset-cookie: c'],
    };
    const response = errorResponse(new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp }));
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", ' +
        'error_description="A more recent or stronger login is required", acr_values="ok"',
    );
    expect(response.headers.has('set-cookie')).toBe(false);
  });
});

describe('@auth(maxAge, acr)', () => {
  const typeDefs = `
    type Query {
      secret: String @auth(maxAge: 900, acr: ["aal2", "phr"])
      adminSecret: String @auth(permissions: ["manage_users"], maxAge: 900)
      own(ownerId: ID): String @auth(owner: "ownerId", maxAge: 900)
      thrown: String
    }
    type Mutation { wipe: String @auth(maxAge: 900) }
    type Subscription { ticks: Int @auth(maxAge: 900) }
  `;
  let ran: string[] = [];
  const run = (name: string) => () => {
    ran.push(name);
    return name;
  };
  const resolvers = {
    Query: {
      secret: run('secret'),
      adminSecret: run('adminSecret'),
      own: run('own'),
      thrown: (_source: unknown, _args: unknown, { auth }: { auth: AuthContext }) => {
        requireRecentAuth(auth.principal, 900, auth.environment().time);
        return 'thrown';
      },
    },
    Mutation: { wipe: run('wipe') },
    Subscription: {
      ticks: {
        async *subscribe() {
          for (const ticks of [1, 2, 3]) yield { ticks };
        },
      },
    },
  };
  const schema = protectSchema<{ auth: AuthContext }>(
    makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }),
    { pdp: contractRoles },
  );
  const contextOf = (who: Principal | undefined): { auth: AuthContext } => ({
    auth: { principal: who, environment: () => ({ time: NOW * 1_000, ip: INFO.ip }), requestId: INFO.requestId },
  });
  const ask = async (who: Principal | undefined, source: string) => {
    ran = [];
    const { data, errors = [] } = await graphql({ schema, source, contextValue: contextOf(who) });
    return { data: JSON.parse(JSON.stringify(data)), errors: errors.map((error) => maskGraphQLError(error).toJSON()) };
  };

  it.each(INSUFFICIENT)('%s gets the fields of RFC 9470, and the resolver does not run', async (_name, who) => {
    const { data, errors } = await ask(who, '{ a: secret b: secret }');
    const extensions = {
      code: 'UNAUTHENTICATED',
      error: 'insufficient_user_authentication',
      max_age: 900,
      acr_values: 'aal2 phr',
    };
    expect(data).toEqual({ a: null, b: null });
    expect(errors.map((error) => error.extensions)).toEqual([extensions, extensions]);
    expect(errors[0]?.message).toBe('A more recent or stronger login is required');
    expect(ran).toEqual([]);
    expect(events).toEqual([{ type: 'step_up.required', accountId: 'u1', point: 'Query.secret', ...INFO }]);
  });

  it('a mutation does nothing before its caller has logged in again', async () => {
    expect((await ask(principal(login(901)), 'mutation { wipe }')).errors[0]?.extensions?.error).toBe(
      'insufficient_user_authentication',
    );
    expect(ran).toEqual([]);
    expect((await ask(principal(login(900)), 'mutation { wipe }')).data).toEqual({ wipe: 'wipe' });
  });

  it('is told only to those whom everything else lets through', async () => {
    const old = login(901);
    const code = async (who: Principal | undefined, source: string) =>
      (await ask(who, source)).errors.map(({ extensions }) => extensions);
    const forbidden = [{ code: 'FORBIDDEN' }];
    const asked = [{ code: 'UNAUTHENTICATED', error: 'insufficient_user_authentication', max_age: 900 }];
    expect(await code(undefined, '{ adminSecret }')).toEqual([{ code: 'UNAUTHENTICATED' }]);
    expect(await code(principal(old, 'viewer'), '{ adminSecret }')).toEqual(forbidden);
    expect(await code(principal(old, 'admin'), '{ adminSecret }')).toEqual(asked);
    expect(await code(principal(old), '{ own(ownerId: "u2") }')).toEqual(forbidden);
    expect(await code(principal(old), '{ own(ownerId: "u1") }')).toEqual(asked);
    expect(ran).toEqual([]);
  });

  it('an environment that fails lets nobody through, and asks for nothing', async () => {
    const contextValue = {
      auth: {
        principal: principal(login(0, 'aal2')),
        environment: () => {
          throw new Error('no clock');
        },
      },
    };
    const { errors } = await graphql({ schema, source: '{ secret }', contextValue });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'FORBIDDEN' }]);
  });

  it('what a resolver throws says the same, and nothing of where it was thrown', async () => {
    const [error] = (await ask(principal(login(901)), '{ thrown }')).errors;
    expect(error).toMatchObject({
      message: 'A more recent or stronger login is required',
      path: ['thrown'],
      extensions: { code: 'UNAUTHENTICATED', error: 'insufficient_user_authentication', max_age: 900 },
    });
    expect((await ask(undefined, '{ thrown }')).errors[0]?.extensions).toEqual({ code: 'UNAUTHENTICATED' });
  });

  it('a subscription ends when its login has grown too old', async () => {
    let time = NOW * 1_000;
    const who = principal(login(899));
    const auth: AuthContext = { principal: who, environment: () => ({ time }), reauthenticate: () => ({ ...who }) };
    const stream = await subscribe({ schema, document: parse('subscription { ticks }'), contextValue: { auth } });
    if (!(Symbol.asyncIterator in stream)) throw new Error(JSON.stringify(stream));
    const seen: unknown[] = [];
    for await (const { data } of stream) {
      seen.push(data?.ticks);
      time += 1_000;
    }
    expect(seen).toEqual([1, 2]);
  });
});
