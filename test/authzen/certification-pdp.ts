import { environmentSource } from 'doorward';
import { and, attr, createPolicyEngine, eq, isIn, ne, not, or, policy, present, rule } from 'doorward/abac';
import { type AuthzenEndpointOptions, createAuthzenEndpoint } from 'doorward/authzen';

const action = (name: string) => and(eq(attr('action'), name), eq(attr('resource.type'), 'record'));

/** The policy that section "Required Policy Behaviour" of the certification scenario asks for. */
export const certificationPolicy = policy('certification', [
  rule.allow(
    'known-subjects-read',
    and(
      action('read'),
      isIn(attr('subject.id'), ['alice', 'bob']),
      isIn(attr('resource.id'), ['record-1', 'record-2']),
    ),
  ),
  rule.allow(
    'admins-write-archived',
    and(action('write'), eq(attr('subject.role'), 'admin'), eq(attr('resource.status'), 'archived')),
  ),
  rule.allow(
    'alice-writes',
    and(
      action('write'),
      eq(attr('subject.id'), 'alice'),
      or(not(present(attr('resource.status'))), ne(attr('resource.status'), 'archived')),
    ),
  ),
  rule.allow(
    'alice-deletes-softly',
    and(action('delete'), eq(attr('subject.id'), 'alice'), eq(attr('environment.action_soft'), true)),
  ),
]);

const directory = {
  user: [
    { id: 'alice', properties: {} },
    { id: 'bob', properties: { role: 'admin' } },
  ],
  record: [
    { id: 'record-1', properties: { status: 'active' } },
    { id: 'record-2', properties: { status: 'archived' } },
  ],
};

export const BASE = 'https://pdp.example.com';

/** The decision point of the certification scenario, with its subjects and resources to search through. */
export const certificationPdp = (options: Partial<AuthzenEndpointOptions> = {}) =>
  createAuthzenEndpoint({
    pdp: createPolicyEngine(certificationPolicy),
    environment: environmentSource({ clock: () => Date.parse('2026-03-02T12:00:00Z') }),
    baseUrl: BASE,
    search: {
      subjects: ({ type }) => (type === 'user' ? directory.user : []),
      resources: ({ type }) => (type === 'record' ? directory.record : []),
      actions: ['read', 'write', 'delete'],
    },
    ...options,
  });

export type Endpoint = ReturnType<typeof certificationPdp>;
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, or the text where there is none. */
  readonly body: unknown;
}

/** Sends a request as an enforcement point would. */
export async function post(
  endpoint: Endpoint,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await endpoint(
    new Request(`${BASE}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
