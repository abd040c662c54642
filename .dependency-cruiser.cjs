/**
 * The direction of ARCHITECTURE.md, checked: core knows nobody, engines never import each other,
 * enforcement points know only the PolicyDecisionPoint interface, and each package stays in its folder.
 */
const only = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const src = (...folders) => `^src/(${folders.join('|')})(/|\\.ts)`;

module.exports = {
  forbidden: [
    only('no-circular', {}, { circular: true }, 'no cycle passes'),
    only('core-knows-nobody', { path: src('core') }, { path: '^src/', pathNot: src('core') }, 'core imports only core'),
    only(
      'engines-know-core',
      { path: '^src/(tokens|passwords|rbac|abac|opa|authzen|audit)/' },
      { path: '^src/', pathNot: '^src/(core|$1)/' },
      'tokens, passwords, rbac, abac, opa, authzen and audit import core and themselves',
    ),
    only(
      'jwks-builds-on-tokens',
      { path: src('jwks') },
      { path: '^src/', pathNot: src('core', 'tokens', 'jwks') },
      'remote keys become keys of tokens',
    ),
    only(
      'argon2-builds-on-passwords',
      { path: src('argon2') },
      { path: '^src/', pathNot: src('core', 'passwords', 'argon2') },
      'another hasher by the rules of passwords',
    ),
    only(
      'accounts-direction',
      { path: src('accounts') },
      { path: '^src/', pathNot: src('core', 'tokens', 'passwords', 'accounts') },
      'accounts build on tokens and passwords',
    ),
    only(
      'factors-and-machines',
      { path: '^src/(totp|webauthn|api-keys|mtls)/' },
      { path: '^src/', pathNot: '^src/(core|accounts|tokens|passwords|$1)/' },
      'factors and machine clients know core, tokens, passwords and the ports of accounts',
    ),
    only(
      'factors-and-machines-types-only',
      { path: src('totp', 'webauthn', 'api-keys', 'mtls') },
      { path: src('accounts'), dependencyTypesNot: ['type-only'] },
      'they import accounts as types only',
    ),
    only(
      'http-knows-ports',
      { path: src('http') },
      { path: '^src/', pathNot: src('core', 'http', 'accounts', 'tokens', 'totp', 'webauthn', 'api-keys') },
      'http knows the PDP interface and the ports of whatever has routes',
    ),
    only(
      'http-types-only',
      { path: src('http') },
      { path: src('accounts', 'tokens', 'totp', 'webauthn', 'api-keys'), dependencyTypesNot: ['type-only'] },
      'http imports them as types only',
    ),
    only(
      'oauth-direction',
      { path: src('oauth') },
      { path: '^src/', pathNot: src('core', 'tokens', 'accounts', 'http', 'jwks', 'oauth') },
      'the authorization server builds on accounts, tokens and the readers and answers of http',
    ),
    only(
      'oauth-client-direction',
      { path: src('oauth/client') },
      { path: '^src/', pathNot: src('core', 'tokens', 'jwks', 'oauth/client') },
      'the client knows nothing of the server',
    ),
    only(
      'graphql-knows-core',
      { path: src('graphql') },
      { path: '^src/', pathNot: src('core', 'graphql') },
      'PDP interface only',
    ),
    only(
      'stores-know-ports',
      { path: src('stores') },
      { path: '^src/', pathNot: src('core', 'stores', 'accounts', 'totp', 'webauthn', 'api-keys', 'oauth') },
      'stores implement the ports',
    ),
    only(
      'use-knows-http-and-graphql',
      { path: src('use') },
      { path: '^src/', pathNot: src('core', 'use', 'http', 'graphql') },
      'an adapter translates and decides nothing',
    ),
    only('examples-use-the-package', { path: '^examples/' }, { path: '^src/' }, 'examples import doorward/... by name'),
    only(
      'graphql-behind-graphql',
      {
        path: '^src/',
        pathNot: src(
          'graphql',
          'use/graphql',
          'use/graphql-ws',
          'use/graphql-sse',
          'use/yoga',
          'use/apollo',
          'use/mercurius',
        ),
      },
      { path: '^node_modules/(graphql|@graphql-tools)/' },
      'the root loads without graphql',
    ),
    only('graphql-root-only', {}, { path: '^node_modules/graphql/.+/' }, 'no deep imports of graphql'),
    only(
      'bcryptjs-behind-passwords',
      { path: '^src/', pathNot: src('passwords') },
      { path: '^node_modules/bcryptjs/' },
      'one folder hashes',
    ),
    only(
      'jsonwebtoken-behind-tokens',
      { path: '^src/', pathNot: src('tokens') },
      { path: '^node_modules/(@types/)?jsonwebtoken/' },
      'one folder signs',
    ),
    only(
      'undici-behind-network',
      { path: '^src/', pathNot: src('opa', 'authzen', 'oauth/client') },
      { path: '^node_modules/undici/' },
      'three folders do network',
    ),
    ...Object.entries({
      '@node-rs/argon2': 'argon2',
      otplib: 'totp',
      '@simplewebauthn/server': 'webauthn',
      'rate-limiter-flexible': 'stores/rate-limiter-flexible',
      '@opentelemetry/api': 'use/opentelemetry',
    }).map(([peer, subpath]) =>
      only(
        `peer-behind-its-subpath: ${peer}`,
        { path: '^src/', pathNot: src(subpath) },
        { path: `^node_modules/${peer}/` },
        'an optional peer is loaded by one subpath',
      ),
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
