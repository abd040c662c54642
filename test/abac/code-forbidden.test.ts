import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessRequest } from 'doorward';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';

const request: AccessRequest = {
  subject: { id: 'bob', roles: [], attributes: {} },
  action: 'read',
  resource: { type: 'document', id: 'd1', attributes: { owner_id: 'bob' } },
  environment: { time: 0 },
};

it('closures decide where the platform lets no text become code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'doorward-'));
  try {
    const outfile = join(folder, 'abac.mjs');
    buildSync({ entryPoints: ['src/abac/index.ts'], bundle: true, format: 'esm', platform: 'node', outfile });
    const script = `
      const { contractPolicy, createPolicyEngine } = await import(${JSON.stringify(outfile)});
      const engine = createPolicyEngine(contractPolicy, { generateCode: true });
      const request = ${JSON.stringify(request)};
      console.log(engine.compiled, engine.decide(request).ruleId);`;
    const run = (...flags: string[]): string =>
      execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
    expect(run('--disallow-code-generation-from-strings')).toBe('closures owner');
    expect(run()).toBe('code owner');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
