import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from 'doorward';
import { type AccountStore, usernameKey } from 'doorward/accounts';
import type { PasswordHasher } from 'doorward/passwords';
import type { Config } from '../server/config.ts';
import type { Data } from './data.ts';
import demo from './demo.json' with { type: 'json' };

interface Seeding {
  readonly data: Data;
  readonly hasher: PasswordHasher;
  readonly clock: Clock;
  readonly store: AccountStore;
  readonly config: Config;
}

/** The accounts that a server starts with: one administrator in production, else the demo accounts. */
export function firstAccounts(seeding: Seeding): Promise<void> {
  return seeding.config.production ? firstAdministrator(seeding) : seed(seeding);
}

/** Fills an empty database with the demo data; generated passwords are printed, this once. */
async function seed({ store, data, hasher, clock, config: { DEMO_PASSWORD: password } }: Seeding): Promise<void> {
  if ((await data.users(1, 0)).length > 0) return;
  const shared = password === undefined ? undefined : await hasher.hash(password);
  for (const { username, ...account } of demo.accounts) {
    const own = password ?? randomBytes(12).toString('base64url');
    const passwordHash = shared ?? (await hasher.hash(own));
    const email = `${username}@example.org`;
    await data.createUser(username, email, account.id);
    await store.create({
      ...account,
      username,
      usernameKey: usernameKey(username),
      email,
      passwordHash,
      disabled: false,
      createdAt: clock(),
    });
    if (password === undefined) console.log(`demo account  ${username.padEnd(10)} ${own}`);
  }
  const insert = (table: string, rows: object[]) =>
    data.db.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`, [rows]);
  await insert('posts', demo.posts);
  await insert('documents', demo.documents);
}

/**
 * The account `admin`, when a password for it is set and nobody has the name. An account that
 * is there already is left as it is, whoever it belongs to.
 */
async function firstAdministrator({
  store,
  data,
  hasher,
  clock,
  config: { ADMIN_PASSWORD: password },
}: Seeding): Promise<void> {
  if (password === undefined || (await store.byUsernameKey('admin')) !== undefined) return;
  const [id, username, email] = [randomUUID(), 'admin', 'admin@localhost'];
  const passwordHash = await hasher.hash(password);
  const account = { id, username, usernameKey: 'admin', email, passwordHash, roles: ['admin'], disabled: false };
  if (await store.create({ ...account, createdAt: clock() })) await data.createUser(username, email, id);
}
