import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Host, RunningHost } from './behaviour.ts';
import { bearer, createWorld } from './support.ts';

/** The audits of the GraphQL over HTTP specification, as they are and behind authentication. */
export function audits(host: Pick<Host, 'name' | 'start'>): void {
  describe(`${host.name}: the audits of GraphQL over HTTP`, () => {
    let running: RunningHost;
    beforeAll(async () => {
      running = await host.start(createWorld());
    });
    afterAll(() => running.close());

    const audit = (headers: Record<string, string>, statuses: Set<number> = new Set()) =>
      auditServer({
        url: running.url,
        fetchFn: async (url: string, init: RequestInit = {}) => {
          const response = await fetch(url, { ...init, headers: { ...init.headers, ...headers } });
          statuses.add(response.status);
          return response;
        },
      });

    it.each([
      ['anonymous', undefined],
      ['with a token', 'vi'],
    ])('pass, %s', async (_kind, as) => {
      const results = await audit(bearer(as));
      expect(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`)).toEqual([]);
      expect(results).toHaveLength(61);
    });

    it('are all answered with 401 behind a bad token', async () => {
      const statuses = new Set<number>();
      await audit({ authorization: 'Bearer no-such-token' }, statuses);
      expect([...statuses]).toEqual([401]);
    });
  });
}
