import { createRouter, json } from 'doorward/http';
import { describe, expect, it } from 'vitest';
import { withCors } from '../../src/oauth/metadata/cors.ts';
import {
  type ProtectedResourceOptions,
  protectedResourceRoutes,
  resourceMetadataUrl,
} from '../../src/oauth/metadata/protected-resource.ts';

const INFO = { requestId: 'r-1' };
const ISSUER = 'https://login.example.org';
const least: ProtectedResourceOptions = { resource: 'https://api.example.org', authorizationServers: [ISSUER] };

describe('the metadata of a resource', () => {
  it('says who issues tokens for it', async () => {
    const resource = 'https://api.example.org/v1';
    const address = resourceMetadataUrl(resource);
    expect(address).toBe('https://api.example.org/.well-known/oauth-protected-resource/v1');
    const documentation = 'https://docs.example.org/api';
    const options = { ...least, resource, scopes: ['read', 'create'], name: 'Posts', documentation };
    const response = await createRouter(protectedResourceRoutes(options))(new Request(address), INFO);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource,
      authorization_servers: [ISSUER],
      scopes_supported: ['read', 'create'],
      bearer_methods_supported: ['header'],
      resource_name: 'Posts',
      resource_documentation: documentation,
    });
  });

  it('tells no more than it was told', async () => {
    const [route] = Object.keys(protectedResourceRoutes(least));
    expect(route).toBe('GET /.well-known/oauth-protected-resource');
    const handler = createRouter(protectedResourceRoutes(least));
    const response = await handler(new Request(resourceMetadataUrl(least.resource)), INFO);
    expect(await response.json()).toEqual({
      resource: 'https://api.example.org',
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    });
  });

  it.each([
    ['resource', { resource: 'http://api.example.org' }],
    ['resource', { resource: 'https://api.example.org#x' }],
    ['resource', { resource: 'https://api.example.org/#' }],
    ['resource', { resource: 'https://api.example.org/v1?x=1' }],
    ['resource', { resource: 'https://api.example.org/v1?' }],
    ['resource', { resource: 'HTTPS://API.example.org' }],
    ['resource', { resource: 'https://api.example.org/a/../b' }],
    ['resource', { resource: 'https://ada@api.example.org' }],
    ['resource', { resource: 'urn:example:api' }],
    ['resource', { resource: undefined }],
    ['authorizationServers', { authorizationServers: [] }],
    ['authorizationServers', { authorizationServers: ISSUER }],
    ['authorizationServers', { authorizationServers: ['http://login.example.org'] }],
    ['scopes', { scopes: ['a b'] }],
    ['scopes', { scopes: 'read' }],
    ['name', { name: '' }],
    ['documentation', { documentation: 'javascript:alert(1)' }],
    ['audience', { audience: 'x' }],
  ])('is refused for the option %s: %j', (field, changes) => {
    const build = () => protectedResourceRoutes({ ...least, ...changes } as ProtectedResourceOptions);
    expect(build).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', field }));
  });

  it('has an address only for what can be one', () => {
    expect(() => resourceMetadataUrl('urn:example:api')).toThrow(expect.objectContaining({ field: 'resource' }));
    expect(resourceMetadataUrl('http://127.0.0.1:4000')).toBe(
      'http://127.0.0.1:4000/.well-known/oauth-protected-resource',
    );
  });
});

describe('routes that are open to scripts', () => {
  it('HTTP-20 answer one preflight for all methods of a path, and keep their answers', async () => {
    const handler = createRouter(
      withCors({
        'GET /userinfo': () => json(401, { error: 'x' }, { 'www-authenticate': 'Bearer' }),
        'POST /userinfo': () => json(200, {}, { 'access-control-allow-origin': 'https://evil.example' }),
      }),
    );
    const ask = async (method: string) =>
      handler(new Request('https://x.example/userinfo', { method, headers: { origin: 'https://evil.example' } }), INFO);
    const preflight = await ask('OPTIONS');
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
    const refused = await ask('GET');
    expect([refused.status, await refused.json()]).toEqual([401, { error: 'x' }]);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer');
    expect(refused.headers.get('access-control-expose-headers')).toBe('www-authenticate, retry-after');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    for (const { headers } of [preflight, refused, await ask('POST')]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
  });
});
