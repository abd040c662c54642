import { makeExecutableSchema } from '@graphql-tools/schema';
import { allow, deny, type PolicyDecisionPoint, type Principal } from 'doorward';
import { authDirectives, protectSchema } from 'doorward/graphql';
import fc from 'fast-check';
import { execute, type GraphQLObjectType, GraphQLSchema, parse } from 'graphql';
import { contextOf } from './support.ts';

/** A small schema of all kinds of types, every place of which may carry a rule. */
const places = [
  'I',
  'I.x',
  'I.kid',
  'I.f',
  'J',
  'J.x',
  'A',
  'A.x',
  'A.kid',
  'A.s',
  'A.f',
  'A.f.n',
  'I.f.n',
  'B',
  'B.x',
  'B.kid',
  'B.y',
  'B.f',
  'B.f.n',
  'C',
  'C.z',
  'C.a',
  'U',
  'S',
  'Color',
  'In',
  'In.p',
  'In.q',
  'In.r',
  'In.k',
  'Opt.o',
  'Opt',
  'Query.i',
  'Query.is',
  'Query.u',
  'Query.us',
  'Query.c',
  'Query.b',
  'Query.args',
  'Query.args.in',
  'Query.args.k',
  'Query.args.opt',
  'Mutation.m',
  'Mutation.m.in',
] as const; // prettier-ignore
type Place = (typeof places)[number];

const staticRules = [
  '@auth',
  '@auth(requires: "a")',
  '@auth(requires: "b")',
  '@auth(permissions: ["p"])',
  '@auth(scopes: [["s"]])',
  '@auth(rule: { not: { role: "a" } })',
  '@auth(rule: { not: { scope: "s" } })',
  '@auth(rule: { any: [{ role: "a" }, { not: { permission: "broken" } }] })',
  '@auth(rule: { all: [{ role: "b" }, { permission: "p" }] })',
];
const policyRules = [
  '@auth(policy: [["even"]])',
  '@auth(rule: { any: [{ role: "a" }, { policy: "even" }] })',
  '@auth(rule: { all: [{ role: "a" }, { policy: "even" }] })',
  '@auth(rule: { not: { all: [{ role: "a" }, { not: { policy: "even" } }] } })',
];
const fieldRules = [
  '@auth(requires: "a", onDeny: NULL)',
  '@auth(policy: [["even"]], onDeny: NULL)',
  '@auth(rule: { any: [{ role: "a" }, { policy: "even" }] }, from: RESULT)',
];
const typePlaces: readonly string[] = ['I', 'J', 'A', 'B', 'C', 'U', 'S', 'Color', 'In', 'Opt'];
const isInput = (place: string): boolean => /^(In|Opt)\.|\..*\./.test(place);

export type Rules = ReadonlyMap<Place, string>;

export const someRules: fc.Arbitrary<Rules> = fc
  .uniqueArray(fc.constantFrom(...places), { maxLength: 14 })
  .chain((chosen) =>
    fc.tuple(
      ...chosen.map((place) => {
        const isField = !typePlaces.includes(place) && !isInput(place) && !place.startsWith('Mutation');
        return fc
          .constantFrom(...staticRules, ...staticRules, ...policyRules, ...(isField ? fieldRules : []))
          .map((rule) => [place, rule] as const);
      }),
    ),
  )
  .map((entries) => new Map(entries));

export const somePrincipal: fc.Arbitrary<Principal | undefined> = fc.option(
  fc
    .record({ roles: fc.subarray(['a', 'b', 'permitted']), scopes: fc.constantFrom(undefined, [], ['s']) })
    .map(({ roles, scopes }) => ({ id: 'p', roles, attributes: {}, ...(scopes && { scopes }) })),
  { nil: undefined, freq: 5 },
);

export function world(rules: Rules, isAsync = false): GraphQLSchema {
  const at = (place: Place): string => rules.get(place) ?? '';
  const sdl = `
    scalar S ${at('S')}
    enum Color ${at('Color')} { RED }
    interface J ${at('J')} { x: String ${at('J.x')} }
    interface I implements J ${at('I')} { x: String ${at('I.x')} kid: I ${at('I.kid')} f(n: Int ${at('I.f.n')}): U ${at('I.f')} }
    type A implements I & J ${at('A')} {
      x: String ${at('A.x')} kid: A ${at('A.kid')} s: S ${at('A.s')} f(n: Int ${at('A.f.n')}): C ${at('A.f')}
    }
    type B implements I & J ${at('B')} {
      x: String ${at('B.x')} kid: I ${at('B.kid')} y: Color ${at('B.y')} f(n: Int ${at('B.f.n')}): U ${at('B.f')}
    }
    type C ${at('C')} { z: String ${at('C.z')} a: A ${at('C.a')} }
    union U ${at('U')} = A | C
    input In ${at('In')} { p: Int ${at('In.p')} q: In ${at('In.q')} r: Int! ${at('In.r')} k: Int = 1 ${at('In.k')} }
    input Opt ${at('Opt')} { o: Int ${at('Opt.o')} }
    type Query {
      i: I ${at('Query.i')} is: [I] ${at('Query.is')} u: U ${at('Query.u')} us: [U!] ${at('Query.us')}
      c: C ${at('Query.c')} b: B ${at('Query.b')}
      args(in: In ${at('Query.args.in')}, k: Int = 3 ${at('Query.args.k')}, opt: Opt ${at('Query.args.opt')}): Int ${at('Query.args')}
    }
    type Mutation { m(in: In! ${at('Mutation.m.in')}): Int ${at('Mutation.m')} }
  `;
  const schema = makeExecutableSchema({ typeDefs: [authDirectives(), sdl], resolvers: {} });
  const decided: PolicyDecisionPoint['decide'] = ({ action, subject }) => {
    if (action === 'broken') return deny('error');
    return subject.roles.includes('permitted') ? allow('permission') : deny('no_permission');
  };
  const pdp: PolicyDecisionPoint = isAsync ? { decide: async (request) => decided(request) } : { decide: decided };
  return protectSchema(schema, {
    pdp,
    policies: {
      even: ({ resource }) => {
        const { n } = Object(resource) as { n?: unknown };
        return typeof n === 'number' ? n % 2 === 0 : Object.keys(Object(resource)).length % 2 === 0;
      },
    },
  });
}

/** Objects of the world, endless ones: `n` is what the policy looks at. */
export function object(name: 'A' | 'B' | 'C', n: number): Record<string, unknown> {
  const other = (): unknown => object('A', n + 1);
  return {
    __typename: name,
    n,
    x: 'VALUE',
    kid: name === 'A' ? other : () => object('B', n + 1),
    s: 'VALUE',
    y: 'RED',
    z: 'VALUE',
    a: other,
    f: () => object('C', n + 1),
  };
}

export function root(n: number): Record<string, unknown> {
  return {
    n,
    i: () => object(n % 3 === 0 ? 'A' : 'B', n),
    is: () => [object('A', n), object('B', n + 1)],
    u: () => object(n % 3 === 0 ? 'A' : 'C', n),
    us: () => [object('A', n), object('C', n + 1)],
    c: () => object('C', n),
    b: () => object('B', n),
    args: 7,
    m: 8,
  };
}

/** Executes a document with any object type in the place of the query type: that is, on an object of that type. */
export async function executeOn(
  schema: GraphQLSchema,
  typeName: string,
  [source, rootValue, who]: readonly [source: string, rootValue: unknown, who: Principal | undefined],
): Promise<{ readonly data: unknown; readonly errors: readonly string[] }> {
  const rooted = rootedAt(schema, typeName);
  const contextValue = contextOf(who && { ...who });
  const { data, errors = [] } = await execute({ schema: rooted, document: parse(source), rootValue, contextValue });
  const problems = errors.map(({ path, extensions, message }) => `${path?.join('.')}: ${extensions.code ?? message}`);
  return { data: JSON.parse(JSON.stringify(data ?? null)), errors: problems.sort() };
}

const rootedSchemas = new WeakMap<GraphQLSchema, Map<string, GraphQLSchema>>();

function rootedAt(schema: GraphQLSchema, typeName: string): GraphQLSchema {
  const made = rootedSchemas.get(schema) ?? new Map<string, GraphQLSchema>();
  rootedSchemas.set(schema, made);
  const known = made.get(typeName);
  if (known !== undefined) return known;
  const query = schema.getType(typeName) as GraphQLObjectType;
  const rooted = new GraphQLSchema({ ...schema.toConfig(), query, mutation: null, assumeValid: true });
  made.set(typeName, rooted);
  return rooted;
}
