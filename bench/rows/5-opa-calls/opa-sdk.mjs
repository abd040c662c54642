import { OPAClient } from '@open-policy-agent/opa';
import { inputOf, startStub } from './calls.mjs';

export async function prepare() {
  const stub = await startStub();
  const client = new OPAClient(stub.url);
  return {
    stub,
    decide: async (request) => (await client.evaluate('authz/allow', inputOf(request))) === true,
    close: stub.close,
  };
}
