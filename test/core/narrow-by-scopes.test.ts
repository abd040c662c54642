import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type AccessRequest,
  allow,
  deny,
  environmentSource,
  isScopeGranted,
  narrowByScopes,
  type Principal,
} from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import { createGate, json } from 'doorward/http';
import { contractRoles } from 'doorward/rbac';
import { graphql } from 'graphql';
import { describe, expect, it } from 'vitest';

const admin: Principal = { id: 'u-1', roles: ['admin'], attributes: {} };
const viewer: Principal = { id: 'u-2', roles: ['viewer'], attributes: {} };
const request = (subject: Principal, action: string): AccessRequest => ({
  subject,
  action,
  resource: { type: 'route', attributes: {} },
  environment: { time: 0 },
});
const pdp = narrowByScopes(contractRoles);
const decide = (subject: object, action: string) => pdp.decide(request(subject as Principal, action));

describe('scopes', () => {
  it('do not narrow a subject that has none', () => {
    for (const action of ['read', 'create', 'delete']) expect(decide(admin, action)).toMatchObject({ allowed: true });
  });

  it('let an action through beside the permission only', () => {
    expect(decide({ ...admin, scopes: ['delete'] }, 'delete')).toMatchObject({ allowed: true });
    expect(decide({ ...viewer, scopes: ['delete'] }, 'delete')).toMatchObject({ reason: 'no_permission' });
    expect(decide({ ...admin, scopes: ['create'] }, 'delete')).toEqual(deny('insufficient_scope', { scope: 'delete' }));
    expect(decide({ ...admin, scopes: [] }, 'read')).toMatchObject({ allowed: true });
  });

  it.each([[null], ['delete'], [{}], [[['delete']]], [{ includes: () => true }]])('that are %j are none', (scopes) => {
    expect(decide({ ...admin, scopes }, 'delete')).toMatchObject({ allowed: false, reason: 'insufficient_scope' });
    expect(isScopeGranted({ scopes } as never, 'delete')).toBe(false);
  });

  it('are asked for by an action that nobody thought of', () => {
    const open = narrowByScopes({ decide: () => allow('rule') });
    expect(open.decide(request({ ...admin, scopes: [] }, 'export'))).toMatchObject({ scope: 'export' });
  });

  it('can have names of their own, and an answer that is no name grants nothing', () => {
    const needs = (action: string) => (action === 'delete' ? 'posts:write' : undefined);
    const named = narrowByScopes(contractRoles, { needs });
    expect(named.decide(request({ ...admin, scopes: ['posts:write'] }, 'delete'))).toMatchObject({ allowed: true });
    expect(named.decide(request({ ...admin, scopes: ['delete'] }, 'delete'))).toMatchObject({ scope: 'posts:write' });
    const odd = narrowByScopes(contractRoles, { needs: (async () => undefined) as never });
    expect(odd.decide(request({ ...admin, scopes: ['delete'] }, 'delete'))).toMatchObject({ allowed: false });
  });

  it('keep the vocabulary, and hide every other way to ask', () => {
    const wide = { ...contractRoles, decideAll: () => [allow('rule')] };
    const narrowed = narrowByScopes(wide);
    expect(Object.keys(narrowed).sort()).toEqual(['decide', 'isSynchronous', 'permissions', 'roles']);
    expect(narrowed.permissions).toEqual(contractRoles.permissions);
  });

  it('spare a remote decision point a question that is settled', async () => {
    let asked = 0;
    const remote = narrowByScopes({
      decide: async () => {
        asked += 1;
        return allow('rule');
      },
    });
    await remote.decide(request({ ...admin, scopes: [] }, 'delete'));
    expect(asked).toBe(0);
  });

  it.each([
    ['pdp', undefined, {}],
    ['needs', contractRoles, { needs: {} }],
  ])('are refused without a usable `%s`', (field, point, options) => {
    expect(() => narrowByScopes(point as never, options as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field }),
    );
  });
});

describe('scopes at a gate', () => {
  const gateFor = (principal: Principal) =>
    createGate({ authenticate: () => ({ ok: true, principal }), pdp, environment: environmentSource() });
  const send = new Request('http://localhost/x', { headers: { authorization: 'Bearer t' } });
  const erase = async (principal: Principal, point = pdp) => {
    const gate = gateFor(principal);
    const resource = () => ({ type: 'post', attributes: {} });
    const handlers = [
      gate.requirePermission('delete', () => json(200, {})),
      gate.requireDecision({ action: 'delete', resource, pdp: point }, () => json(200, {})),
    ];
    return Promise.all(handlers.map((handler) => handler(send, { requestId: 'r' })));
  };

  it('are a 403 that names the scope', async () => {
    for (const response of await erase({ ...admin, scopes: ['create'] })) {
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="delete"');
    }
    for (const response of await erase({ ...admin, scopes: ['delete'] })) expect(response.status).toBe(200);
    for (const response of await erase(admin)) expect(response.status).toBe(200);
  });

  it('name nothing that could leave the challenge', async () => {
    const odd = { decide: () => deny('insufficient_scope', { scope: 'a", x="\r\nb' }) };
    const [, response] = await erase(admin, odd);
    expect(response?.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
  });
});

describe('scopes in GraphQL', () => {
  const typeDefs = `
    type Query { posts: Int @auth(permissions: ["read"]) }
    type Mutation {
      erase: Int @auth(permissions: ["delete"])
      eraseOwn: Int @auth(rule: { any: [{ permission: "delete" }, { policy: "own" }] })
    }
  `;
  const resolvers = { Query: { posts: () => 1 }, Mutation: { erase: () => 1, eraseOwn: () => 1 } };
  const schema = protectSchema(makeExecutableSchema({ typeDefs: [authDirectives(), typeDefs], resolvers }), {
    pdp,
    policies: { own: ({ principal }) => isScopeGranted(principal, 'delete') },
  });
  const run = async (principal: Principal, source: string) => {
    const contextValue = { auth: { principal, environment: environmentSource() } };
    const { errors } = await graphql({ schema, source, contextValue });
    return errors?.[0]?.extensions.code ?? 'OK';
  };

  it('narrow permissions, and policies that ask for them', async () => {
    const scoped = { ...admin, scopes: ['create'] };
    expect(await run(scoped, '{ posts }')).toBe('OK');
    expect(await run(scoped, 'mutation { erase }')).toBe('FORBIDDEN');
    expect(await run(scoped, 'mutation { eraseOwn }')).toBe('FORBIDDEN');
    for (const source of ['mutation { erase }', 'mutation { eraseOwn }']) {
      expect(await run({ ...admin, scopes: ['delete'] }, source)).toBe('OK');
      expect(await run(admin, source)).toBe('OK');
    }
  });
});
