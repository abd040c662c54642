type Pair = readonly [unknown, unknown];
const ROLES = [
  'admin',
  'editor',
  'viewer',
  'moderator',
  'nobody',
  '',
  'Admin',
  'constructor',
  undefined,
  null,
  ['admin'],
  5,
];
const ACTIONS = ['read', 'delete', 'manage_users', 'READ', undefined, null, ['read']];
const PAIRS: readonly Pair[] = [
  ['a', 'a'],
  ['a', 'b'],
  ['a', 'A'],
  ['', ''],
  ['a', ''],
  [null, null],
  [undefined, undefined],
  ['a', undefined],
  [1, 1],
  [1, '1'],
  [true, true],
  [['a'], ['a']],
  [{}, {}],
];
const HOURS = [8, 9, 12.5, 18, 18.5, 19, -1, '10', null, [10], undefined];

/** The inputs of decision calls, clean and dirty: every combination of what the rules can tell apart. */
export function* decisionCalls(): Generator<unknown> {
  for (const role of ROLES)
    for (const action of ACTIONS)
      for (const [id, ownerId] of PAIRS)
        for (const [department, resourceDepartment] of PAIRS)
          for (const sensitivity of ['high', 'low', null])
            for (const hour of sensitivity === 'high' ? HOURS : [10])
              yield {
                user: { id, role, department },
                resource: { id: 'd1', owner_id: ownerId, department: resourceDepartment, sensitivity },
                action,
                environment: { hour },
              };
}
/** Inputs that are no decision calls, or hold strange texts. */
export const ODD_CALLS: readonly unknown[] = [
  {},
  [],
  ['admin'],
  'admin',
  5,
  true,
  { user: null, resource: null, action: null, environment: null },
  { user: 'admin', resource: 'd1' },
  { user: ['admin'], action: 'read' },
  { user: { role: { admin: true } }, action: 'read' },
  { user: { role: 'viewer' }, action: 'read', environment: 'noon' },
  { user: { role: 'admin' }, environment: { hour: {} } },
  { user: { id: 'ä\u0000"\\/😀' }, resource: { owner_id: 'ä\u0000"\\/😀' } },
  { user: { id: 'a\u0308' }, resource: { owner_id: 'ä' } },
  { user: { id: 'constructor' }, resource: { owner_id: '__proto__' } },
  { user: { department: 'a' }, resource: { department: 'a', sensitivity: 'high' } },
];
