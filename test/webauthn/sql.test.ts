import { PGlite } from '@electric-sql/pglite';
import { createSqlOnceStore, createSqlPasskeyStore, migrate } from 'doorward/stores/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from './world.ts';

const db = new PGlite();
beforeAll(() => migrate(db));
afterAll(() => db.close());

describe('passkeys in PostgreSQL', () => {
  it('log in once for each signature', async () => {
    const { passkeys, registered } = createWorld({ store: createSqlPasskeyStore(db), once: createSqlOnceStore(db) });
    const authenticator = await registered('ada');
    const response = authenticator.get(await passkeys.authenticationOptions());
    const answers = await Promise.all(Array.from({ length: 10 }, () => passkeys.authenticate(response)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    const options = await passkeys.authenticationOptions();
    const copies = [authenticator.get(options, { counter: 1 }), authenticator.get(options, { counter: 2 })];
    expect(await passkeys.authenticate(copies[0])).toBeUndefined();
    expect(await passkeys.list('ada')).toMatchObject([{ id: authenticator.id, label: 'Passkey' }]);
    expect(await passkeys.remove('ada', authenticator.id)).toBe(true);
  });
});
