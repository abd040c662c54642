import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type DemoName, type Service, startService } from './harness.ts';

let service: Service;
let midnight: number;
beforeAll(async () => {
  service = await startService();
  midnight = Math.floor(service.clock.now / 86_400_000) * 86_400_000;
});
afterAll(() => service.close());

/** Reads a document at a time of day, with a login of that moment. */
async function readAt(time: string, name: DemoName, document: string, at: Service = service): Promise<number> {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  at.clock.now = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  const login = await at.postJson('/login', { username: name, password: 'correct horse battery staple' });
  const { status } = await at.fetch(`/api/documents/${document}`, { headers: bearer(login.body.access_token) });
  at.clock.reset();
  return status;
}

describe('GET /api/documents/{doc_id} under the attribute policy', () => {
  it('answers the document itself', async () => {
    const answer = await service.fetch('/api/documents/plan', { headers: bearer(await service.token('admin')) });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['body', 'department', 'id', 'owner_id', 'sensitivity', 'title']);
  });

  it('rule 1: an admin reads everything at any hour', async () => {
    for (const document of ['plan', 'salaries', 'leads', 'forecast'])
      expect(await readAt('03:00', 'admin', document)).toBe(200);
  });

  it.each([
    ['08:59:59', 200],
    ['09:00:00', 200],
    ['18:59:59', 200],
    ['19:00:00', 200],
  ])('rules 2 and 4: the own department reads at %s (reading needs no office hours)', async (time, status) => {
    expect(await readAt(time, 'viewer', 'forecast')).toBe(status);
  });

  it('rule 3: an owner reads the own document at any hour', async () => {
    expect(await readAt('03:00', 'editor', 'plan')).toBe(200);
  });

  it('rule 5: another department reads nothing, in and out of hours', async () => {
    for (const time of ['03:00', '12:00']) {
      expect(await readAt(time, 'viewer', 'plan')).toBe(403);
      expect(await readAt(time, 'viewer', 'salaries')).toBe(403);
    }
  });

  it('AZ-13 an unknown document is the same 403 as a denied one, and 404 only for whom a rule without attributes allows', async () => {
    const viewer = bearer(await service.token('viewer'));
    const [unknown, denied] = await Promise.all([
      service.fetch('/api/documents/no-such-document', { headers: viewer }),
      service.fetch('/api/documents/plan', { headers: viewer }),
    ]);
    expect([unknown.status, unknown.text]).toEqual([denied.status, denied.text]);
    expect(unknown.status).toBe(403);
    const admin = await service.fetch('/api/documents/no-such-document', {
      headers: bearer(await service.token('admin')),
    });
    expect(admin.status).toBe(404);
  });
});
