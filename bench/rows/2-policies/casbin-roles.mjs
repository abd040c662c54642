import { newEnforcer, newModel, StringAdapter } from 'casbin';

const model = `
[request_definition]
r = sub, obj, act

[policy_definition]
p = sub, obj, act

[role_definition]
g = _, _

[policy_effect]
e = some(where (p.eft == allow))

[matchers]
m = g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act
`;

/**
 * The usual model of roles.
 * @param {readonly [role: string, object: string, action: string][]} grants
 * @param {readonly [person: string, role: string][]} members
 */
export function casbinRoles(grants, members) {
  const lines = [...grants.map((grant) => `p, ${grant.join(', ')}`), ...members.map((pair) => `g, ${pair.join(', ')}`)];
  return newEnforcer(newModel(model), new StringAdapter(lines.join('\n')));
}
