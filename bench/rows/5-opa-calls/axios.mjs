import { Agent } from 'node:http';
import axios from 'axios';
import { inputOf, startStub } from './calls.mjs';

export async function prepare() {
  const stub = await startStub();
  const httpAgent = new Agent({ keepAlive: true, maxSockets: 64 });
  const client = axios.create({ baseURL: stub.url, httpAgent, timeout: 30_000 });
  return {
    stub,
    decide: async (request) => (await client.post(stub.path, { input: inputOf(request) })).data.result === true,
    close: () => {
      httpAgent.destroy();
      return stub.close();
    },
  };
}
