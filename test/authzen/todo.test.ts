import { readFileSync } from 'node:fs';
import { environmentSource } from 'doorward';
import { and, attr, createPolicyEngine, eq, hasRole, isIn, or, policy, rule } from 'doorward/abac';
import { createAuthzenEndpoint } from 'doorward/authzen';
import { describe, expect, it } from 'vitest';
import { post } from './certification-pdp.ts';

interface Vectors {
  readonly evaluation: readonly { readonly request: unknown; readonly expected: boolean }[];
  readonly evaluations: readonly { readonly request: unknown; readonly expected: readonly unknown[] }[];
}
const vectors = JSON.parse(readFileSync('test/fixtures/authzen/todo-decisions.json', 'utf8')) as Vectors;

/** The directory that the interop scenario gives: enforcement points send ids only. */
const users = new Map(
  [
    ['CiRmZDA2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'rick@the-citadel.com', ['admin', 'evil_genius']],
    ['CiRmZDM2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'beth@the-smiths.com', ['viewer']],
    ['CiRmZDE2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'morty@the-citadel.com', ['editor']],
    ['CiRmZDI2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'summer@the-smiths.com', ['editor']],
    ['CiRmZDQ2MTRkMy1jMzlhLTQ3ODEtYjdiZC04Yjk2ZjVhNTEwMGQSBWxvY2Fs', 'jerry@the-smiths.com', ['viewer']],
  ].map(([id, email, roles]) => [id, { id: id as string, roles: roles as string[], attributes: { email } }]),
);
const action = (name: string) => eq(attr('action'), name);
const writes = or(hasRole('editor'), hasRole('admin'), hasRole('evil_genius'));
const todos = policy('todos', [
  rule.allow('everyone-reads', isIn(attr('action'), ['can_read_user', 'can_read_todos'])),
  rule.allow('editors-create', and(action('can_create_todo'), writes)),
  rule.allow('evil-geniuses-update', and(action('can_update_todo'), hasRole('evil_genius'))),
  rule.allow('admins-delete', and(action('can_delete_todo'), hasRole('admin'))),
  rule.allow('owners-change', and(writes, eq(attr('subject.email'), attr('resource.ownerID')))),
]);
const endpoint = createAuthzenEndpoint({
  pdp: createPolicyEngine(todos),
  environment: environmentSource(),
  resolveSubject: ({ id }) => users.get(id),
});

describe('the decisions of the AuthZEN interop scenario "Todo"', () => {
  it('are all there', () => {
    expect([vectors.evaluation.length, vectors.evaluations.length]).toEqual([40, 3]);
    expect(vectors.evaluation.filter(({ expected }) => expected)).toHaveLength(26);
  });

  it.each(vectors.evaluation)('single: $request.action.name, $expected', async ({ request, expected }) => {
    const answer = await post(endpoint, '/access/v1/evaluation', request);
    expect(answer).toMatchObject({ status: 200, body: { decision: expected } });
    expect(answer.body).toStrictEqual({ decision: expected });
  });

  it.each(vectors.evaluations)('several: $expected', async ({ request, expected }) => {
    const answer = await post(endpoint, '/access/v1/evaluations', request);
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({ evaluations: expected });
  });

  it('deny whom the directory does not know', async () => {
    const request = {
      subject: { type: 'user', id: 'nobody' },
      action: { name: 'can_read_todos' },
      resource: { type: 'todo', id: '1' },
    };
    expect((await post(endpoint, '/access/v1/evaluation', request)).body).toStrictEqual({ decision: false });
  });
});
