import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openData } from '../examples/data/data.ts';
import { readConfig } from '../examples/server/config.ts';
import { SECRET } from './contract/harness.ts';

describe('the example server', () => {
  it('stays under 400 lines with its schema', () => {
    const lines = readdirSync('examples/server')
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(`examples/server/${name}`, 'utf8').trimEnd().split('\n').length);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThan(400);
  });

  it('documents every setting that it reads', () => {
    const config = readConfig({
      SIGNING_SECRET: SECRET,
      BASE_URL: 'http://localhost:4000',
      PDP_TOKEN: 'x',
      DEMO_PASSWORD: 'x'.repeat(8),
    });
    const source = readFileSync('examples/server/config.ts', 'utf8');
    const read = [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name);
    const page = readFileSync('docs/example-server.md', 'utf8');
    const documented = [...page.matchAll(/^\| `([A-Z][A-Z_]+)` \|/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual(read.sort());
    expect(Object.keys(config)).toEqual(expect.arrayContaining(['PORT', 'HOST', 'DATA_DIR', 'TIME_ZONE', 'LOG_LEVEL']));
  });

  it('takes a database that is down for an outage and not for a fault of its own', async () => {
    const data = await openData(':memory:');
    await data.close();
    await expect(data.posts()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
  });
});
