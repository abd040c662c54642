import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, type DemoName, ids, type Service, startService } from './harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const table = {
  admin: ['create', 'read', 'update', 'delete', 'manage_users'],
  editor: ['create', 'read', 'update'],
  viewer: ['read'],
  moderator: ['read', 'update', 'delete'],
} as const;

/** One request a permission; whoever holds it gets past the gate. `update` has no REST route: publishPost needs it. */
const attempts = {
  read: (token: string) => service.fetch('/api/posts', { headers: bearer(token) }),
  create: (token: string) => service.fetch('/api/posts', { method: 'POST', headers: bearer(token) }),
  delete: (token: string) => service.fetch('/api/posts/none', { method: 'DELETE', headers: bearer(token) }),
  manage_users: (token: string) => service.fetch('/api/users/none', { method: 'DELETE', headers: bearer(token) }),
} as const;
const allowed = { read: 200, create: 200, delete: 404, manage_users: 404 } as const;

describe('the role table on the permission-gated routes', () => {
  for (const role of Object.keys(table) as DemoName[]) {
    for (const permission of Object.keys(attempts) as (keyof typeof attempts)[]) {
      const granted = (table[role] as readonly string[]).includes(permission);
      it(`${role} ${granted ? 'may' : 'may not'} ${permission}`, async () => {
        const answer = await attempts[permission](await service.token(role));
        expect(answer.status).toBe(granted ? allowed[permission] : 403);
        if (!granted)
          expect(answer.body).toEqual({ error: 'Forbidden', message: `Requires permission: ${permission}` });
      });
    }
    const granted = (table[role] as readonly string[]).includes('update');
    it(`${role} ${granted ? 'may' : 'may not'} update`, async () => {
      const answer = await service.graphql('mutation { publishPost(id: "none") { id } }', await service.token(role));
      expect(answer.body.errors[0].extensions.code).toBe(granted ? 'NOT_FOUND' : 'FORBIDDEN');
    });
  }

  it('AZ-02 grants the union of the roles that an account holds, for every set of roles', async () => {
    const admin = bearer(await service.token('admin'));
    const { token, id } = await service.newcomer();
    const roles = Object.keys(table) as DemoName[];
    for (let mask = 0; mask < 16; mask += 1) {
      const held = roles.filter((_, bit) => mask & (1 << bit));
      const patched = await service.fetch(`/api/users/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...admin },
        body: JSON.stringify({ roles: held }),
      });
      expect(patched.status).toBe(200);
      for (const permission of Object.keys(attempts) as (keyof typeof attempts)[]) {
        const granted = held.some((role) => (table[role] as readonly string[]).includes(permission));
        const { status } = await attempts[permission](token);
        expect(status, `${held.join('+') || 'no role'} ${permission}`).toBe(granted ? allowed[permission] : 403);
      }
    }
  });
});

describe('REST data', () => {
  it('GET /api/posts lists the titles of the posts that the caller may see', async () => {
    const titles = async (name: DemoName) =>
      (await service.fetch('/api/posts', { headers: bearer(await service.token(name)) })).body.posts;
    expect(await titles('viewer')).toContain('Welcome');
    expect(await titles('viewer')).toContain('Notes of the viewer');
    expect(await titles('viewer')).not.toContain('Draft of the editor');
    for (const name of ['editor', 'moderator', 'admin'] as const) {
      expect(await titles(name)).toEqual(
        expect.arrayContaining(['Welcome', 'Draft of the editor', 'Notes of the viewer']),
      );
    }
  });

  it('POST /api/posts takes a CreatePostInput; an empty body creates an untitled draft', async () => {
    const editor = await service.token('editor');
    const full = await service.postJson('/api/posts', { title: 'From REST', content: 'Hello' }, editor);
    expect(full).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    const empty = await service.fetch('/api/posts', { method: 'POST', headers: bearer(editor) });
    expect(empty).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    const { body } = await service.fetch('/api/posts', { headers: bearer(editor) });
    expect(body.posts).toEqual(expect.arrayContaining(['From REST', 'Untitled']));
  });

  it('authorId in REST obeys the rule of the mutation', async () => {
    const post = { title: 'For another', content: '', authorId: ids.viewer };
    expect((await service.postJson('/api/posts', post, await service.token('editor'))).status).toBe(403);
    expect(
      (await service.postJson('/api/posts', { ...post, authorId: ids.editor }, await service.token('editor'))).status,
    ).toBe(200);
    expect((await service.postJson('/api/posts', post, await service.token('admin'))).status).toBe(200);
    expect(
      (await service.postJson('/api/posts', { ...post, authorId: 'nobody' }, await service.token('admin'))).status,
    ).toBe(400);
  });

  it('DELETE /api/posts/{id} removes a post, once', async () => {
    const admin = await service.token('admin');
    const created = await service.graphql('mutation { createPost(title: "Short-lived", content: "x") { id } }', admin);
    const path = `/api/posts/${created.body.data.createPost.id}`;
    const remove = async () => service.fetch(path, { method: 'DELETE', headers: bearer(admin) });
    expect(await remove()).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    expect((await remove()).status).toBe(404);
  });

  it('DELETE /api/users/{id} removes the account, its user and its posts', async () => {
    const admin = await service.token('admin');
    const { id } = await service.newcomer();
    const post = await service.graphql(
      'mutation($id: ID!) { createPost(title: "Gone soon", content: "x", authorId: $id) { id } }',
      admin,
      { id },
    );
    const removed = await service.fetch(`/api/users/${id}`, { method: 'DELETE', headers: bearer(admin) });
    expect(removed).toMatchObject({ status: 200, body: { message: expect.any(String) } });
    const after = await service.graphql('query($u: ID!, $p: ID!) { user(id: $u) { id } post(id: $p) { id } }', admin, {
      u: id,
      p: post.body.data.createPost.id,
    });
    expect(after.body.data).toEqual({ user: null, post: null });
  });

  it('PATCH /api/users/{id} sets roles, department and disabled, needs manage_users and known roles', async () => {
    const { id } = await service.newcomer();
    const patch = async (name: DemoName, body: unknown) =>
      service.fetch(`/api/users/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...bearer(await service.token(name)) },
        body: JSON.stringify(body),
      });
    expect((await patch('editor', { roles: ['admin'] })).status).toBe(403);
    expect((await patch('admin', { roles: ['editor'], department: 'sales' })).body).toMatchObject({
      id,
      roles: ['editor'],
      department: 'sales',
    });
    for (const bad of [
      { roles: 'admin' },
      { roles: ['emperor'] },
      { roles: [1] },
      { disabled: 'yes' },
      { department: 5 },
      [],
    ]) {
      expect((await patch('admin', bad)).status, JSON.stringify(bad)).toBe(400);
    }
    expect((await patch('admin', { id: 'other', passwordHash: 'x', disabled: false })).body).toMatchObject({
      id,
      disabled: false,
    });
  });

  it('PATCH /api/users/{id} asks for a login of the last 15 minutes', async () => {
    const admin = await service.newcomer();
    const other = await service.newcomer();
    const patch = (token: string, id: string, body: unknown) =>
      service.fetch(`/api/users/${id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', ...bearer(token) },
        body: JSON.stringify(body),
      });
    await patch(await service.token('admin'), admin.id, { roles: ['admin'] });
    expect((await patch(admin.token, other.id, { department: 'sales' })).status).toBe(200);
    service.clock.now += 16 * 60_000;
    const late = await patch(admin.token, other.id, { department: 'sales' });
    service.clock.reset();
    expect(late.status).toBe(401);
    expect(late.headers.get('www-authenticate')).toContain('error="insufficient_user_authentication"');
  });
});
