import type { Choices } from './choices.ts';

/** A condition, as rules are made of. */
export type Condition =
  | { readonly kind: 'role' | 'permission' | 'scope' | 'policy' | 'owner'; readonly name: string }
  | { readonly kind: 'all' | 'any'; readonly members: readonly Condition[] }
  | { readonly kind: 'not'; readonly member: Condition };

export type OnDeny = 'ERROR' | 'NULL' | 'FILTER' | 'MASK';
export type From = 'ARGS' | 'PARENT' | 'RESULT';

/** One directive at one place. */
export interface Application {
  readonly condition: Condition;
  readonly from: From | undefined;
  readonly onDeny: OnDeny | undefined;
  /** As the SDL has it. */
  readonly text: string;
}

/** Who asks, with every answer that rules depend on. */
export interface Caller {
  readonly id: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly permissions: readonly string[];
}

export type Truth = 'yes' | 'no' | 'unknown';

export const ROLES = ['r0', 'r1'] as const;
export const SCOPES = ['s0', 's1'] as const;
/** The decision point fails for the last one. */
export const PERMISSIONS = ['p0', 'p1', 'broken'] as const;
export const POLICIES = ['yes', 'no', 'throws', 'mute', 'even', 'slowEven', 'mine', 'slowRejects'] as const;

/** The ones that may let through come up more often: where all is denied, nothing is seen. */
const NAMED = {
  role: [...ROLES],
  permission: ['p0', 'p1', 'p0', 'p1', 'broken'],
  scope: [...SCOPES],
  policy: [...POLICIES, 'yes', 'even', 'mine', 'slowEven', 'yes', 'even'],
} as const;

/** What a policy answers, by its name; everything that is no boolean is unknown. */
export function policyAnswer(name: string, caller: { readonly id: string }, resource: unknown): Truth {
  switch (name) {
    case 'yes':
      return 'yes';
    case 'no':
      return 'no';
    case 'even':
    case 'slowEven':
      return hash(keyOf(resource)) % 2 === 0 ? 'yes' : 'no';
    case 'mine':
      return hash(`${caller.id} ${keyOf(resource)}`) % 2 === 0 ? 'yes' : 'no';
    default:
      return 'unknown';
  }
}

/** Tells resources apart: objects of the data by id, anything else by what it holds. */
function keyOf(resource: unknown): string {
  if (typeof resource === 'object' && resource !== null && 'id' in resource && '__typename' in resource) {
    return String(resource.id);
  }
  return JSON.stringify(resource) ?? 'undefined';
}

export function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

/** Whether a condition holds, in the logic of three values. */
export function truth(condition: Condition, caller: Caller, resource: unknown): Truth {
  switch (condition.kind) {
    case 'role':
      return caller.roles.includes(condition.name) ? 'yes' : 'no';
    case 'scope':
      // What the client was not granted says nothing of the user: under "not" it does not turn into a yes.
      return caller.scopes?.includes(condition.name) ? 'yes' : 'unknown';
    case 'permission':
      if (condition.name === 'broken') return 'unknown';
      return caller.permissions.includes(condition.name) ? 'yes' : 'no';
    case 'policy':
      return policyAnswer(condition.name, caller, resource);
    case 'owner':
      return ownership(condition.name, caller, resource);
    case 'all':
      return conjunction(condition.members.map((member) => truth(member, caller, resource)));
    case 'any':
      return negated(conjunction(condition.members.map((member) => negated(truth(member, caller, resource)))));
    case 'not':
      return negated(truth(condition.member, caller, resource));
  }
}

function conjunction(truths: readonly Truth[]): Truth {
  if (truths.includes('no')) return 'no';
  return truths.includes('unknown') ? 'unknown' : 'yes';
}

function negated(value: Truth): Truth {
  if (value === 'unknown') return 'unknown';
  return value === 'yes' ? 'no' : 'yes';
}

function ownership(path: string, caller: Caller, resource: unknown): Truth {
  let owner = resource;
  for (const name of path.split('.')) {
    if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, name)) return 'unknown';
    owner = Reflect.get(owner, name);
  }
  if (typeof owner === 'number') owner = String(owner);
  if (typeof owner !== 'string' || owner === '') return 'unknown';
  return owner === caller.id ? 'yes' : 'no';
}

/** The parts of a condition that must all hold, and that do not hang together otherwise. */
export function parts(condition: Condition): readonly Condition[] {
  const plain = simplified(condition);
  return plain.kind === 'all' ? plain.members : [plain];
}

/** Whether a condition depends on the caller alone. */
export function isStatic(condition: Condition): boolean {
  if (condition.kind === 'policy' || condition.kind === 'owner') return false;
  if (condition.kind === 'not') return isStatic(condition.member);
  return condition.kind === 'all' || condition.kind === 'any' ? condition.members.every(isStatic) : true;
}

/** Without "all" in "all", "any" in "any", what is said twice, and lists of one. */
function simplified(condition: Condition): Condition {
  if (condition.kind === 'not') return { kind: 'not', member: simplified(condition.member) };
  if (condition.kind !== 'all' && condition.kind !== 'any') return condition;
  const { kind } = condition;
  const flat = condition.members
    .map(simplified)
    .flatMap((member) => (member.kind === kind ? member.members : [member]));
  const members = new Map(flat.map((member) => [JSON.stringify(member), member]));
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, member]) => member);
  const [only, another] = sorted;
  return only !== undefined && another === undefined ? only : { kind, members: sorted };
}

/** Where an application stands decides what it may say. */
export interface Place {
  /** Owner paths by what the rule would look at; none where they would name nothing. */
  readonly owners: (from: From | undefined) => readonly string[];
  readonly froms: readonly (From | undefined)[];
  readonly denials: (from: From | undefined) => readonly (OnDeny | undefined)[];
  readonly takesAuthenticated: boolean;
}

export function randomApplication(choose: Choices, place: Place): Application {
  if (place.takesAuthenticated && choose.chance(10)) {
    return { condition: { kind: 'all', members: [] }, from: undefined, onDeny: undefined, text: '@authenticated' };
  }
  const from = choose.of(place.froms);
  const onDeny = choose.of(place.denials(from));
  const owners = place.owners(from);
  const said: { readonly text: string; readonly condition: Condition }[] = [];
  const count = choose.of([1, 1, 1, 2, 0]);
  for (const argument of pick(choose, owners.length > 0 ? [...ARGUMENTS, 'owner', 'owner'] : ARGUMENTS, count)) {
    said.push(randomArgument(choose, argument, owners));
  }
  const placement = [...(from ? [`from: ${from}`] : []), ...(onDeny ? [`onDeny: ${onDeny}`] : [])];
  const written = [...said.map(({ text }) => text), ...placement];
  return {
    condition: { kind: 'all', members: said.map(({ condition }) => condition) },
    from,
    onDeny,
    text: written.length === 0 ? '@auth' : `@auth(${written.join(', ')})`,
  };
}

const ARGUMENTS = ['requires', 'roles', 'permissions', 'scopes', 'policy', 'policy', 'rule', 'rule'] as const;
type Argument = (typeof ARGUMENTS)[number] | 'owner';

function pick(choose: Choices, list: readonly Argument[], count: number): readonly Argument[] {
  return [...new Set(Array.from({ length: count }, () => choose.of(list)))];
}

function randomArgument(choose: Choices, argument: Argument, owners: readonly string[]) {
  const leaf = (kind: 'role' | 'permission' | 'scope' | 'policy' | 'owner', name: string): Condition => ({
    kind,
    name,
  });
  const text = (value: unknown): string => `${argument}: ${JSON.stringify(value)}`;
  const anyOfAll = (kind: 'scope' | 'policy', names: readonly string[]) => {
    const lists =
      choose.of([1, 1, 2]) === 1 ? [[choose.of(names)]] : [[choose.of(names), choose.of(names)], [choose.of(names)]];
    const members = lists.map((list): Condition => ({ kind: 'all', members: list.map((name) => leaf(kind, name)) }));
    return { text: text(lists), condition: { kind: 'any', members } as const };
  };
  switch (argument) {
    case 'requires': {
      const name = choose.of(ROLES);
      return { text: text(name), condition: leaf('role', name) };
    }
    case 'roles': {
      const names = choose.chance(50) ? [...ROLES] : [choose.of(ROLES)];
      return {
        text: text(names),
        condition: { kind: 'any', members: names.map((name) => leaf('role', name)) } as const,
      };
    }
    case 'permissions': {
      const names = choose.chance(30) ? PERMISSIONS.slice(0, 2) : [choose.of(NAMED.permission)];
      const members = names.map((name) => leaf('permission', name));
      return { text: text(names), condition: { kind: 'all', members } as const };
    }
    case 'scopes':
      return anyOfAll('scope', NAMED.scope);
    case 'policy':
      return anyOfAll('policy', NAMED.policy);
    case 'owner': {
      const name = choose.of(owners);
      return { text: text(name), condition: leaf('owner', name) };
    }
    case 'rule': {
      const condition = randomCondition(choose, owners, 3);
      return { text: `rule: ${literal(condition)}`, condition };
    }
  }
}

function randomCondition(choose: Choices, owners: readonly string[], depth: number): Condition {
  const kinds = [
    'role',
    'permission',
    'scope',
    'policy',
    'policy',
    ...(owners.length > 0 ? (['owner'] as const) : []),
  ] as const;
  if (depth === 0 || choose.chance(40)) {
    const kind = choose.of(kinds);
    return { kind, name: choose.of<string>(kind === 'owner' ? owners : NAMED[kind]) };
  }
  const kind = choose.of(['any', 'all', 'not'] as const);
  if (kind === 'not') return { kind, member: randomCondition(choose, owners, depth - 1) };
  const members = Array.from({ length: choose.of([2, 1, 3]) }, () => randomCondition(choose, owners, depth - 1));
  return { kind, members };
}

function literal(condition: Condition): string {
  if (condition.kind === 'not') return `{ not: ${literal(condition.member)} }`;
  if ('members' in condition) {
    return `{ ${condition.kind}: [${condition.members.map(literal).join(', ')}] }`;
  }
  return `{ ${condition.kind}: ${JSON.stringify(condition.name)} }`;
}
