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
      { path: '^src/(tokens|passwords|rbac|abac|opa)/' },
      { path: '^src/', pathNot: '^src/(core|$1)/' },
      'tokens, passwords, rbac, abac and opa import core and themselves',
    ),
    only(
      'accounts-direction',
      { path: src('accounts') },
      { path: '^src/', pathNot: src('core', 'tokens', 'passwords', 'accounts') },
      'accounts build on tokens and passwords',
    ),
    only(
      'http-knows-ports',
      { path: src('http') },
      { path: '^src/', pathNot: src('core', 'http', 'accounts', 'tokens') },
      'http knows the PDP interface and the ports of tokens and accounts',
    ),
    only(
      'http-types-only',
      { path: src('http') },
      { path: src('accounts', 'tokens'), dependencyTypesNot: ['type-only'] },
      'http imports accounts and tokens as types only',
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
      { path: '^src/', pathNot: src('core', 'stores', 'accounts') },
      'stores implement the ports of accounts',
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
      { path: '^src/', pathNot: src('graphql', 'use/graphql-ws') },
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
      'undici-behind-opa',
      { path: '^src/', pathNot: src('opa') },
      { path: '^node_modules/undici/' },
      'one folder does network',
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
