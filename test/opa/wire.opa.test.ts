import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessRequestInput, createOpaClient, type OpaClient, type OpaClientOptions } from 'doorward/opa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opaBinary, type RealOpa, runOpa } from './real-opa.ts';
import { selfSigned } from './self-signed.ts';
import { asking, request } from './support.ts';

const POLICY = `package wire

default allow := false

allow if input.subject.id == "ada"

allow if not input

conflict := true if input.action == "read"

conflict := false if input.action == "read"

shown := {"allowed": allow, "rule": "owner"}
`;
const folder = mkdtempSync(join(tmpdir(), 'doorward-opa-'));
const file = (name: string): string => join(folder, name);
const isUp = async (url: string): Promise<boolean> => (await fetch(`${url}/health`)).ok;
let opa: RealOpa;

beforeAll(async () => {
  writeFileSync(file('wire.rego'), POLICY);
  const built = ['build', '--revision', '17', '--output', file('wire.tar.gz')];
  const { status, stdout, stderr } = spawnSync(opaBinary(), [...built, file('wire.rego')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout + stderr);
  opa = await runOpa('http', ['--bundle', file('wire.tar.gz')], isUp);
});
afterAll(async () => {
  await opa.stop();
  rmSync(folder, { recursive: true });
});

async function withClient<T>(options: Partial<OpaClientOptions>, use: (client: OpaClient) => Promise<T>): Promise<T> {
  const client = createOpaClient({ url: opa.url, path: 'wire/allow', input: accessRequestInput, ...options });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

describe('what a real OPA says, as the client takes it', () => {
  it('?provenance brings the revision of the bundle', async () => {
    const decision = await withClient({ provenance: true }, (client) => client.decide(request));
    expect(decision).toMatchObject({ allowed: true, reason: 'rule', revision: `${file('wire.tar.gz')}@17` });
    expect(await withClient({}, (client) => client.decide(request))).not.toHaveProperty('revision');
  });

  it('compressed questions are read', async () => {
    const asked = { ...asking('x'.repeat(5_000)), subject: { ...request.subject, id: 'bob' } };
    const decisions = await withClient({ gzipAboveBytes: 100 }, (client) => client.decideAll([request, asked]));
    expect(decisions.map(({ reason }) => reason)).toEqual(['rule', 'no_rule']);
  });

  it('what is not there is undefined, and no plain no', async () => {
    expect(await withClient({ path: 'wire/alow' }, (client) => client.decide(request))).toMatchObject({
      allowed: false,
      reason: 'undefined_decision',
    });
  });

  it('an error of the evaluation denies, and does not open the circuit', async () => {
    await withClient({ path: 'wire/conflict' }, async (client) => {
      for (let times = 0; times < 6; times++)
        expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'unavailable' });
      expect(client.state()).toBe('closed');
    });
  });

  it('a quotation mark in the path is its error 500, so the client takes none', async () => {
    const response = await fetch(`${opa.url}/v1/data/wire/al%22low`, { method: 'POST', body: '{"input":{}}' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining('invalid path'),
    });
    for (const path of ['wire/al"low', 'wire/al%22low', 'wire/../allow'])
      expect(() => createOpaClient({ url: opa.url, path })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', field: 'path' }),
      );
  });

  it('without an input it warns and may allow; the client sends no such question', async () => {
    for (const body of ['{}', '{"input":null}']) {
      const response = await fetch(`${opa.url}/v1/data/wire/allow`, { method: 'POST', body });
      expect(await response.json()).toMatchObject({ warning: { code: 'api_usage_warning' } });
    }
    for (const nothing of [undefined, null, Number.NaN, Promise.resolve({})])
      expect(await withClient({ input: () => nothing }, (client) => client.decide(request))).toMatchObject({
        allowed: false,
        reason: 'error',
      });
  });

  it('a result that is an object is for a mapper', async () => {
    const decision = (result: unknown) => {
      const { allowed, rule } = result as { allowed: boolean; rule: string };
      return { allowed, ruleId: rule };
    };
    expect(await withClient({ path: 'wire/shown', decision }, (client) => client.decide(request))).toMatchObject({
      allowed: true,
      ruleId: 'owner',
    });
    expect((await withClient({ path: 'wire/shown' }, (client) => client.decide(request))).reason).toBe(
      'invalid_answer',
    );
  });

  it('is healthy when its bundles are, and before that answers every question with nothing', async () => {
    expect(await withClient({}, (client) => client.health())).toEqual({ healthy: true });
    const nowhere = ['services.s.url=http://127.0.0.1:9', 'bundles.b.service=s', 'bundles.b.resource=b.tar.gz'];
    const empty = await runOpa(
      'http',
      nowhere.flatMap((setting) => ['--set', setting]),
      isUp,
    );
    try {
      await withClient({ url: empty.url }, async (client) => {
        expect(await client.health()).toEqual({ healthy: false, reason: 'unhealthy' });
        expect(await client.decide(request)).toMatchObject({ allowed: false, reason: 'undefined_decision' });
      });
    } finally {
      await empty.stop();
    }
  });

  it('that asks for a certificate answers nobody without', async () => {
    const [server, me, other] = [selfSigned('policy.example'), selfSigned('pep.example'), selfSigned('pep.example')];
    writeFileSync(file('server.pem'), server.cert);
    writeFileSync(file('server.key'), server.key);
    writeFileSync(file('callers.pem'), me.cert);
    const tls = { ca: server.cert, servername: 'policy.example' };
    const flags = ['--tls-cert-file', file('server.pem'), '--tls-private-key-file', file('server.key')];
    const asks = ['--tls-ca-cert-file', file('callers.pem'), '--authentication', 'tls', file('wire.rego')];
    const secure = await runOpa('https', [...flags, ...asks], (url) =>
      withClient({ url, tls: { ...tls, ...me } }, async (client) => (await client.health()).healthy),
    );
    try {
      const decide = (own: object) =>
        withClient({ url: secure.url, tls: { ...tls, ...own } }, (it) => it.decide(request));
      expect(await decide(me)).toMatchObject({ allowed: true });
      expect(await decide({})).toMatchObject({ allowed: false, reason: 'unavailable' });
      expect(await decide(other)).toMatchObject({ allowed: false, reason: 'unavailable' });
    } finally {
      await secure.stop();
    }
  });
});
