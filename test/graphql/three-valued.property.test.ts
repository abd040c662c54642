import diagnostics from 'node:diagnostics_channel';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { allow, type Decision, type DecisionEvent, deny, isIndeterminate, type PolicyDecisionPoint } from 'doorward';
import { authDirectives, type Policies, protectSchema } from 'doorward/graphql';
import fc from 'fast-check';
import { graphql } from 'graphql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contextOf, principal } from './support.ts';

const TIMEOUT_MS = 1_000;

type Truth = 'yes' | 'no' | 'unknown' | 'narrowed';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const settle = async (answer: unknown): Promise<unknown> => {
  await turn();
  return answer;
};
const failing = (): never => {
  throw new Error('broken');
};
const never = (): Promise<never> => new Promise(() => {});

/** What a decision point says of each action, at once or later. */
const answers: Readonly<Record<string, unknown>> = {
  yes: allow('rule'),
  no: deny('no_rule'),
  narrowed: deny('insufficient_scope'),
  undefined: undefined,
  garbage: { allowed: 1 },
  indeterminate: deny('unavailable'),
};
const answering = ({ action }: { readonly action: string }): Decision => answers[action] as Decision;
const local: PolicyDecisionPoint = { isSynchronous: true, decide: answering };
const remote: PolicyDecisionPoint = { decide: failing, decideAll: async (all) => all.map(answering) };
const about = (action: string, pdp: PolicyDecisionPoint) => ({
  action,
  pdp,
  resource: () => ({ type: 'a', attributes: {} }),
});

/** Every way to an answer, and what it is worth. */
const ways: readonly (readonly [string, Policies<never>[string], Truth])[] = [
  ['yes', () => true, 'yes'],
  ['no', () => false, 'no'],
  ['yesLater', () => settle(true) as Promise<boolean>, 'yes'],
  ['noLater', () => settle(false) as Promise<boolean>, 'no'],
  ['decides', () => allow('rule'), 'yes'],
  ['throws', failing, 'unknown'],
  ['rejects', () => Promise.reject(new Error('broken')), 'unknown'],
  ['hangs', never, 'unknown'],
  ['says', (() => 'yes') as never, 'unknown'],
  ['saysLater', (() => settle(1)) as never, 'unknown'],
  ['saysAlmost', (() => ({ allowed: 1 })) as never, 'unknown'],
  ['returnsError', (() => new Error('no')) as never, 'unknown'],
  ['narrowed', () => deny('insufficient_scope'), 'narrowed'],
  ...[local, remote].flatMap((pdp, index) =>
    (
      [
        ['yes', 'yes'],
        ['no', 'no'],
        ['narrowed', 'narrowed'],
        ['undefined', 'unknown'],
        ['garbage', 'unknown'],
        ['indeterminate', 'unknown'],
      ] as const
    ).map(([action, truth]) => [`point${index}${action}`, about(action, pdp), truth] as const),
  ),
];
const policies = Object.fromEntries(ways.map(([name, policy]) => [name, policy]));
const truths = new Map(ways.map(([name, , truth]) => [name, truth]));

type Tree =
  | { readonly policy: string }
  | { readonly all: readonly Tree[] }
  | { readonly any: readonly Tree[] }
  | { readonly not: Tree };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...ways).map(([policy]) => ({ policy })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not })),
  ),
}));

/** Kleene's three values; a scope that is missing says nothing about the user, and is a kind of unknown. */
function truthOf(tree: Tree): 'yes' | 'no' | 'open' {
  if ('policy' in tree) {
    const truth = truths.get(tree.policy);
    return truth === 'yes' || truth === 'no' ? truth : 'open';
  }
  if ('not' in tree) {
    const truth = truthOf(tree.not);
    return truth === 'open' ? 'open' : truth === 'yes' ? 'no' : 'yes';
  }
  const [members, decisive, other] =
    'all' in tree ? ([tree.all, 'no', 'yes'] as const) : ([tree.any, 'yes', 'no'] as const);
  const values = members.map(truthOf);
  if (values.includes(decisive)) return decisive;
  return values.includes('open') ? 'open' : other;
}

function sdlOf(tree: Tree): string {
  const [[key, value] = ['', undefined]] = Object.entries(tree) as [string, unknown][];
  if (typeof value === 'string') return `{ ${key}: "${value}" }`;
  return Array.isArray(value) ? `{ ${key}: [${value.map(sdlOf).join(', ')}] }` : `{ ${key}: ${sdlOf(value as Tree)} }`;
}

/** Lets time pass in halves of a timeout, each longer than whoever answers at all needs: a slow machine changes nothing. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    for (let turns = 0; turns < 5; turns++) await turn();
    vi.advanceTimersByTime(TIMEOUT_MS / 2);
  }
  return done;
}

test('all, any and not have three values, whether their members answer at once, later, wrongly, or not at all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 12 }), async (trees) => {
      const fields = trees.map((one, index) => `f${index}: String @auth(rule: ${sdlOf(one)})`);
      const typeDefs = [authDirectives(), `type Query { ${fields.join(' ')} }`];
      const resolved = new Set<string>();
      const resolvers = {
        Query: Object.fromEntries(trees.map((_, index) => [`f${index}`, () => resolved.add(`f${index}`) && 'shown'])),
      };
      const schema = protectSchema(makeExecutableSchema({ typeDefs, resolvers }), {
        pdp: local,
        policies,
        policyTimeoutMs: TIMEOUT_MS,
      });
      const principalOfRun = principal('p');
      const said = new Map<string, Decision>();
      const listen = (event: unknown): void => {
        const { point, decision, request } = event as DecisionEvent;
        // A gate says only that somebody is authenticated.
        if (request.subject === principalOfRun && request.resource.attributes.rule !== 'authenticated')
          said.set(point, decision);
      };
      diagnostics.subscribe('doorward:decision', listen);
      const source = `{ ${trees.map((_, index) => `f${index}`).join(' ')} }`;
      const result = await inTime(graphql({ schema, source, contextValue: contextOf(principalOfRun) }));
      diagnostics.unsubscribe('doorward:decision', listen);

      for (const [index, one] of trees.entries()) {
        const truth = truthOf(one);
        const field = `f${index}`;
        expect([resolved.has(field), result.data?.[field]]).toEqual(truth === 'yes' ? [true, 'shown'] : [false, null]);
        const decision = said.get(`Query.${field}`);
        const isOpen =
          decision !== undefined && (isIndeterminate(decision) || decision.reason === 'insufficient_scope');
        expect([decision?.allowed, isOpen]).toEqual([truth === 'yes', truth === 'open']);
      }
    }),
    { numRuns: 150 },
  );
});
