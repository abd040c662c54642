import { and, attr, eq, isIn, or, policy, rule } from './policy/build.ts';
import { parsePolicy } from './policy/parse-policy.ts';
import type { Policy, PolicyRule } from './policy/policy.ts';
import { hasRole, hourBetween, owner, sameDepartment } from './policy/shorthand.ts';

const admin = rule.allow('admin', hasRole('admin'), { description: 'An administrator may do everything.' });
const sensitiveHours = rule.allow(
  'sensitive-hours',
  and(eq(attr('resource.sensitivity'), 'high'), hourBetween(9, 18), sameDepartment()),
  { description: 'What is highly sensitive is open to its department from 9 to 18 hours.' },
);
const ownerRule = rule.allow('owner', owner(), { description: 'The owner may do everything.' });

/**
 * The document policy to start from: administrators, the department in office hours for what is
 * highly sensitive, owners, and reading within the department; nothing else.
 *
 * @example
 * const engine = createPolicyEngine(contractPolicy);
 */
export const contractPolicy: Policy = parsePolicy(
  policy('documents', [
    admin,
    sensitiveHours,
    ownerRule,
    rule.allow('read-same-department', and(eq(attr('action'), 'read'), sameDepartment()), {
      description: 'Everyone may read what belongs to the own department.',
    }),
  ]),
);

/**
 * The policy behind a central decision call: administrators, whoever holds a role that grants the
 * action, the department in office hours for what is highly sensitive, and owners.
 *
 * @param grants - each role with the permissions it grants, for example `contractRoles.grants`
 * @throws `CONFIG_INVALID` when a role or permission is not a non-empty string.
 * @example
 * const engine = createPolicyEngine(contractDecisionPolicy({ editor: ['read', 'update'], viewer: ['read'] }));
 */
export function contractDecisionPolicy(grants: Readonly<Record<string, readonly string[]>>): Policy {
  const granting = Object.entries(grants)
    .filter(([, permissions]) => permissions.length > 0)
    .map(([role, permissions]) => and(hasRole(role), isIn(attr('action'), permissions)));
  const rolePermission: readonly PolicyRule[] =
    granting.length === 0
      ? []
      : [
          rule.allow('role-permission', or(...granting), {
            description: 'A role grants its permissions on everything.',
          }),
        ];
  return parsePolicy(policy('decisions', [admin, ...rolePermission, sensitiveHours, ownerRule]));
}
