import { PGlite } from '@electric-sql/pglite';
import { createSqlOnceStore, createSqlTotpStore, migrate } from 'doorward/stores/sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld } from './app.ts';

const db = new PGlite();
beforeAll(() => migrate(db));
afterAll(() => db.close());

describe('one-time passwords in PostgreSQL', () => {
  it('and their recovery codes work once', async () => {
    const { totp, enrolled } = createWorld({ store: createSqlTotpStore(db), once: createSqlOnceStore(db) });
    const { code, recovery } = await enrolled('ada');
    for (const proof of [code(), recovery[0]]) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => totp.verify('ada', proof)));
      expect(answers.filter((answer) => answer !== undefined)).toEqual([['otp']]);
    }
    expect(await totp.status('ada')).toEqual({ confirmed: true, recoveryCodesLeft: 9 });
    expect(await totp.replaceRecoveryCodes('ada')).toHaveLength(10);
    expect(await totp.remove('ada')).toBe(true);
  });
});
