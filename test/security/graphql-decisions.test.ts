import { type AccessRequest, allow, type Decision, deny, type PolicyDecisionPoint } from 'doorward';
import type { DecisionPointPolicy } from 'doorward/graphql';
import { parse, subscribe } from 'graphql';
import { describe, expect, test } from 'vitest';
import { answerOf, ask, contextOf, principal, protectedSchema } from '../graphql/support.ts';

const ada = principal('ada');
const bob = principal('bob');

const ownerReads = ({ subject, resource }: AccessRequest): Decision =>
  resource.attributes.ownerId === subject.id ? allow('rule') : deny('rule');

/** Decision points of both kinds: in this process, and a call away. */
const points: [string, PolicyDecisionPoint][] = [
  ['in this process', { isSynchronous: true, decide: ownerReads }],
  ['remote', { decide: async (one) => ownerReads(one), decideAll: async (all) => all.map(ownerReads) }],
];

function owned(pdp: PolicyDecisionPoint): Readonly<Record<string, DecisionPointPolicy>> {
  return {
    own: {
      action: 'read',
      resource: ({ resource }) => ({
        type: 'Note',
        attributes: { ownerId: (resource as { readonly ownerId?: unknown }).ownerId },
      }),
      pdp,
    },
  };
}

const note = 'type Note { text: String @auth(policy: [["own"]]) }';

describe.each(points)('a decision point %s', (_, pdp) => {
  const policies = owned(pdp);

  test('does not answer one caller with what it answered another', async () => {
    const notes = Array.from({ length: 40 }, (_, index) => ({
      ownerId: index % 2 ? 'ada' : 'bob',
      text: `t${index % 2}`,
    }));
    const schema = protectedSchema(
      `${note} type Query { notes: [Note] }`,
      { Query: { notes: () => notes } },
      { policies },
    );
    const callers = Array.from({ length: 10 }, (_, index) => ({ ...(index % 2 ? ada : bob) }));
    const answers = await Promise.all(callers.map((who) => ask(schema, who, '{ notes { text } }')));
    for (const [index, { text }] of answers.entries()) {
      expect([text.includes('t0'), text.includes('t1')]).toEqual([index % 2 === 0, index % 2 === 1]);
    }
  });

  test('is asked again about what a field of a mutation has changed', async () => {
    const shared = { ownerId: 'ada', text: 'SECRET' };
    const schema = protectedSchema(
      `${note} type Query { a: String } type Mutation { look: Note give: String }`,
      {
        Mutation: {
          look: () => shared,
          give: () => {
            shared.ownerId = 'bob';
            shared.text = 'SECRET of bob';
          },
        },
      },
      { policies },
    );
    const { text, errors } = await ask(schema, ada, 'mutation { a: look { text } give b: look { text } }');
    expect(errors).toEqual(['b.text: FORBIDDEN']);
    expect(text).not.toContain('SECRET of bob');
  });

  test('DIR-16 is asked again for every event, though the field that brings it has no rule', async () => {
    const shared = { ownerId: 'ada', text: 'SECRET' };
    const schema = protectedSchema(
      `${note} type Query { a: String } type Subscription { changed: Note }`,
      {
        Subscription: {
          changed: {
            async *subscribe() {
              yield { changed: shared };
              shared.ownerId = 'bob';
              yield { changed: shared };
            },
          },
        },
      },
      { policies },
    );
    const document = parse('subscription { changed { text } }');
    const stream = (await subscribe({ schema, document, contextValue: contextOf({ ...ada }) })) as AsyncIterable<
      Parameters<typeof answerOf>[0]
    >;
    const errors: unknown[] = [];
    for await (const event of stream) errors.push(answerOf(event).errors);
    expect(errors).toEqual([[], ['changed.text: FORBIDDEN']]);
  });
});

test('DIR-14 a call that fails is the failure of one caller, and lets nobody through', async () => {
  const pdp: PolicyDecisionPoint = {
    decide: async () => allow('rule'),
    decideAll: async (all) => (all[0]?.subject.id === 'bob' ? [] : all.map(ownerReads)),
  };
  const schema = protectedSchema(
    `${note} type Query { note(of: ID): Note }`,
    { Query: { note: (_: unknown, { of }: { of: string }) => ({ ownerId: of, text: of }) } },
    { policies: owned(pdp) },
  );
  const [one, two] = await Promise.all([
    ask(schema, { ...ada }, '{ note(of: "ada") { text } }'),
    ask(schema, { ...bob }, '{ note(of: "bob") { text } }'),
  ]);
  expect(one?.data).toEqual({ note: { text: 'ada' } });
  expect(two?.errors).toEqual(['note.text: FORBIDDEN']);
});
