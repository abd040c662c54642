import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthzenClient } from 'doorward/authzen';
import { accessRequestInput, createOpaClient } from 'doorward/opa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'doorward-pdp-'));
const file = join(folder, 'documents.policy.json');
const children: ChildProcess[] = [];

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['examples/pdp/dist/main.js', ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (const until = Date.now() + 15_000; Date.now() < until; ) {
      const match = pattern.exec(output);
      if (match !== null) return match;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`The server did not say ${pattern}: ${output}`);
  };
  return { child, says, ended, output: () => output };
}
async function refusal(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { ended, output } = start(args, env);
  expect(await ended).toBe(1);
  return output();
}

beforeAll(() => cpSync('examples/pdp/documents.policy.json', file));
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const owner = {
  subject: { id: 'ada', roles: ['viewer'], attributes: { department: 'sales' } },
  action: 'update',
  resource: { type: 'document', id: 'plan', attributes: { owner_id: 'ada', department: 'hr' } },
  environment: { time: Date.now() },
};
const stranger = { ...owner, subject: { ...owner.subject, id: 'bob' } };
const suspended = { ...owner, subject: { ...owner.subject, roles: ['suspended'] } };

describe('the policy server', () => {
  it('answers AuthZEN and OPA alike, and takes a new policy only when it is good', async () => {
    const server = start(['--policy', file, '--port', '0'], { PDP_TOKEN: 'secret-token' });
    const [, url = ''] = await server.says(/listening on (\S+),/);
    const token = 'secret-token';
    const authzen = createAuthzenClient({ url, token, discovery: true });
    const opa = createOpaClient({ url, token, input: accessRequestInput });
    const call = createOpaClient({ url, token });
    const answers = async () => {
      const requests = [owner, stranger, suspended];
      const byAuthzen = (await authzen.decideAll(requests)).map(({ allowed }) => allowed);
      for (const client of [authzen, opa]) {
        const decisions = await Promise.all(requests.map((request) => client.decide(request)));
        expect(decisions.map(({ allowed }) => allowed)).toEqual(byAuthzen);
        expect(decisions.map(({ reason }) => reason)).toEqual(byAuthzen.map((yes) => (yes ? 'rule' : 'no_rule')));
      }
      return byAuthzen;
    };
    try {
      expect(await answers()).toEqual([true, false, false]);
      expect((await call.decide(owner)).allowed).toBe(true);
      expect((await call.decide(stranger)).reason).toBe('no_rule');
      expect(await authzen.searchActions(owner)).toEqual({ results: ['read', 'update', 'delete'] });
      expect(await (await fetch(`${url}/health`)).json()).toEqual({});
      expect((await fetch(`${url}/access/v1/evaluation`, { method: 'POST' })).status).toBe(401);
      expect((await fetch(`${url}/v1/data/authz/allow`, { method: 'POST' })).status).toBe(401);

      writeFileSync(
        file,
        '{"name":"documents","combining":"first-match","rules":[{"id":"a","effect":"permit","when":"always"}]}',
      );
      server.child.kill('SIGHUP');
      await server.says(/Policy kept: \$\.rules\[0\]\.effect must be/);
      expect(await answers()).toEqual([true, false, false]);

      writeFileSync(
        file,
        '{"name":"documents","combining":"first-match","rules":[{"id":"a","effect":"allow","when":"always"}]}',
      );
      server.child.kill('SIGHUP');
      await server.says(/Policy reloaded: \S+/);
      expect(await answers()).toEqual([true, true, true]);
    } finally {
      await Promise.all([authzen.close(), opa.close(), call.close()]);
    }
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(server.output()).not.toContain('secret-token');
  });

  it('does not start for a policy, an address or an option that cannot be meant', async () => {
    const bad = join(folder, 'bad.json');
    writeFileSync(
      bad,
      '{"name":"x","combining":"first-match","rules":[{"id":"a","effect":"allow","when":{"eq":[{"attr":"subjct.id"},"x"]}}]}',
    );
    expect(await refusal(['--policy', bad, '--port', '0'])).toMatch(/^Cannot start: \$\.rules\[0\]\.when\.eq\[0\]/);
    writeFileSync(bad, '{');
    expect(await refusal(['--policy', bad, '--port', '0'])).toMatch(/^Cannot start: \$ must be valid JSON/);
    const ambiguous = /^Cannot start: \$ must be a JSON object in UTF-8/;
    writeFileSync(
      bad,
      '{"name":"x","combining":"first-match","rules":[{"id":"a","effect":"deny","effect":"allow","when":"always"}]}',
    );
    expect(await refusal(['--policy', bad, '--port', '0'])).toMatch(ambiguous);
    writeFileSync(
      bad,
      Buffer.from(
        '{"name":"caf\xe9","combining":"first-match","rules":[{"id":"a","effect":"allow","when":"always"}]}',
        'latin1',
      ),
    );
    expect(await refusal(['--policy', bad, '--port', '0'])).toMatch(ambiguous);
    expect(await refusal(['--policy', join(folder, 'gone.json')])).toContain('cannot be read');
    expect(await refusal([])).toContain('--policy is required');
    expect(await refusal(['--policy', bad, '--prot', '1'])).toContain("Unknown option '--prot'");
    expect(await refusal(['--policy', bad, '--port', '70000'])).toContain('--port must be');
    expect(await refusal(['--policy', bad, '--host', '0.0.0.0'])).toContain('PDP_TOKEN must be set');
    const example = ['--policy', 'examples/pdp/documents.policy.json', '--port', '0'];
    expect(await refusal([...example, '--base-url', 'http://pdp.example.com'])).toContain('baseUrl must be');
    expect(await refusal([...example, '--time-zone', 'Mars'])).toContain('timeZone is not');
    expect(await refusal(example, { PDP_TOKEN: 'two words' })).not.toContain('two words');
    expect(await refusal(example, { PDP_TOKEN: '' })).toContain('PDP_TOKEN must not be empty');
    expect(await refusal([...example, '--host', '127.0.0.2'])).toContain('PDP_TOKEN must be set');
    expect(await refusal([...example, '--host', ''])).toContain('PDP_TOKEN must be set');
  });
});
