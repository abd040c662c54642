import { afterAll, beforeAll, expect, it } from 'vitest';
import { bearer, DEMO_PASSWORD, type DemoName, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({}, 12);
});
afterAll(() => service.close());

it('32 concurrent logins are all answered, and GET /me is answered while they run', async () => {
  const token = await service.token('admin');
  const names: DemoName[] = ['admin', 'editor', 'viewer', 'moderator'];
  let pending = 32;
  const logins = Array.from({ length: 32 }, async (_, index) => {
    const { status } = await service.postJson('/login', { username: names[index % 4], password: DEMO_PASSWORD });
    pending -= 1;
    return status;
  });
  const during: number[] = [];
  while (pending > 0) during.push((await service.fetch('/me', { headers: bearer(token) })).status);
  expect(await Promise.all(logins)).toEqual(Array(32).fill(200));
  expect(new Set(during)).toEqual(new Set([200]));
  expect(during.length).toBeGreaterThan(32);
}, 120_000);
