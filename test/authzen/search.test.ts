import { allow, deny, environmentSource } from 'doorward';
import { type AuthzenEndpointOptions, type CandidateQuery, createAuthzenEndpoint } from 'doorward/authzen';
import { describe, expect, it } from 'vitest';
import { post } from './certification-pdp.ts';

const ids = Array.from({ length: 250 }, (_, index) => `r${String(index).padStart(3, '0')}`);
/** Allows what ends in an even number. */
const even = {
  decide: ({ resource }: { resource: { id?: string } }) =>
    Number(resource.id?.at(-1)) % 2 === 0 ? allow('rule') : deny('no_rule'),
};
const permitted = ids.filter((id) => Number(id.at(-1)) % 2 === 0);
const query = { subject: { type: 'user', id: 'ada' }, action: { name: 'read' }, resource: { type: 'record' } };

const whole = () => ids.map((id) => ({ id }));
const cursor = ({ after = '', limit }: CandidateQuery) =>
  ids
    .filter((id) => id > after)
    .slice(0, limit)
    .map((id) => ({ id }));

interface Page {
  readonly page?: { readonly next_token: string; readonly count: number };
  readonly results: readonly { readonly id: string }[];
}
const endpointOf = (resources: typeof cursor, options: Partial<AuthzenEndpointOptions> = {}) =>
  createAuthzenEndpoint({ pdp: even, environment: environmentSource(), search: { resources }, ...options });

async function pages(endpoint: ReturnType<typeof endpointOf>, page: object): Promise<readonly (readonly string[])[]> {
  const all: string[][] = [];
  let token = '';
  do {
    const { body } = await post(endpoint, '/access/v1/search/resource', { ...query, page: { ...page, token } });
    const { page: answered, results } = body as Page;
    expect(answered?.count).toBe(results.length);
    all.push(results.map(({ id }) => id));
    token = answered?.next_token ?? '';
  } while (token !== '' && all.length < 1_000);
  return all;
}

describe.each([
  ['a source that lists everything', whole],
  ['a source with a cursor', cursor],
])('a search over %s', (_, source) => {
  it('returns everything at once where it fits', async () => {
    const { body } = await post(endpointOf(source), '/access/v1/search/resource', query);
    expect(body).toStrictEqual({ results: permitted.map((id) => ({ type: 'record', id })) });
  });

  it.each([1, 7, 100, 124, 125, 126])('returns every result once, %i a page', async (limit) => {
    const all = await pages(endpointOf(source), { limit });
    expect(all.flat()).toEqual(permitted);
    expect(all).toHaveLength(Math.ceil(permitted.length / limit));
  });

  it('ends a page after so many candidates, and loses none', async () => {
    const all = await pages(endpointOf(source, { maxCandidates: 30 }), {});
    expect(all.flat()).toEqual(permitted);
    expect(all[0]).toHaveLength(15);
  });

  it('bounds a limit that is too high, and says that there is more', async () => {
    const { body } = await post(endpointOf(source, { maxResults: 10 }), '/access/v1/search/resource', query);
    expect(body).toMatchObject({ page: { count: 10, next_token: expect.stringMatching(/./) } });
    expect((await pages(endpointOf(source, { maxResults: 10 }), { limit: 1_000_000 })).flat()).toEqual(permitted);
  });
});

describe('a page', () => {
  const endpoint = endpointOf(cursor);
  const search = (body: object) => post(endpoint, '/access/v1/search/resource', body);
  const tokenOf = async (page: object = { limit: 2 }) =>
    ((await search({ ...query, page })).body as Required<Page>).page.next_token;

  it('of no results says whether there would be any', async () => {
    const { body } = await search({ ...query, page: { limit: 0 } });
    expect(body).toStrictEqual({ page: { next_token: expect.stringMatching(/./), count: 0 }, results: [] });
  });

  it('is the same whatever the order of members', async () => {
    const token = await tokenOf();
    const { resource, action, subject } = query;
    const { body } = await search({
      page: { token },
      resource,
      action,
      subject: { id: subject.id, type: subject.type },
    });
    expect((body as Page).results.map(({ id }) => id)).toEqual(['r004', 'r006']);
  });

  it.each<[string, object, object]>([
    ['another subject', { subject: { type: 'user', id: 'bob' } }, {}],
    ['another property', { subject: { ...query.subject, properties: { roles: ['admin'] } } }, {}],
    ['another action', { action: { name: 'write' } }, {}],
    ['another type', { resource: { type: 'other' } }, {}],
    ['another context', { context: { tenant: 't2' } }, {}],
  ])('has a token that is refused for %s', async (_, change, page) => {
    const answer = await search({ ...query, ...change, page: { ...page, token: await tokenOf() } });
    expect([answer.status, answer.body]).toEqual([400, 'page.token is not one of this search']);
  });

  it('has a limit that stays', async () => {
    const answer = await search({ ...query, page: { limit: 3, token: await tokenOf() } });
    expect([answer.status, answer.body]).toEqual([400, 'page.limit must stay the same']);
  });

  it.each([
    ['page', 5],
    ['page.limit', { limit: -1 }],
    ['page.limit', { limit: '1' }],
    ['page.limit', { limit: 1.5 }],
    ['page.token', { token: 5 }],
    ['page.token', { token: 'nonsense' }],
    ['page.token', { token: 'A'.repeat(60) }],
  ])('is refused for a wrong %s', async (field, page) => {
    const answer = await search({ ...query, page });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(new RegExp(`^${field.replace('.', '\\.')} `));
  });

  it('goes on in another process that has the key', async () => {
    const pageKey = new Uint8Array(32).fill(7);
    const [first, second] = [endpointOf(cursor, { pageKey }), endpointOf(cursor, { pageKey })];
    const { body } = await post(first, '/access/v1/search/resource', { ...query, page: { limit: 2 } });
    const { next_token: token } = (body as Required<Page>).page;
    const answer = await post(second, '/access/v1/search/resource', { ...query, page: { token } });
    expect((answer.body as Page).results.map(({ id }) => id)).toEqual(['r004', 'r006']);
  });
});

describe('a source', () => {
  it.each<[string, () => never[] | Promise<never[]>]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['hangs', () => new Promise(() => {})],
    ['lists nothing at all', () => undefined as unknown as never[]],
  ])('that %s fails the search', async (_, resources) => {
    const endpoint = createAuthzenEndpoint({
      pdp: even,
      environment: environmentSource(),
      search: { resources },
      decisionTimeoutMs: 20,
    });
    const answer = await post(endpoint, '/access/v1/search/resource', query);
    expect([answer.status, answer.body]).toEqual([500, 'the search could not be completed']);
  });
});
