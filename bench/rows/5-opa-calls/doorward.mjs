import { createOpaClient } from 'doorward/opa';
import { startStub } from './calls.mjs';

/** With its defaults: equal questions at the same time share one call. The limit is longer than any wait, so that nobody is denied. */
export async function prepare(_input, options = {}) {
  const stub = await startStub();
  const client = createOpaClient({ url: stub.url, timeoutMs: 30_000, ...options });
  return {
    stub,
    decide: (request) => client.decide(request),
    isAllowed: ({ allowed }) => allowed,
    close: async () => {
      await client.close();
      await stub.close();
    },
  };
}
