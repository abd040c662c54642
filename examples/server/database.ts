import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** Users, posts and documents live beside the accounts that doorward/stores/sql keeps. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS users (
    id text PRIMARY KEY, name text NOT NULL, email text NOT NULL, created_at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE IF NOT EXISTS posts (
    id text PRIMARY KEY, title text NOT NULL, content text NOT NULL, published boolean NOT NULL DEFAULT false,
    author_id text NOT NULL REFERENCES users ON DELETE CASCADE, created_at timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE IF NOT EXISTS documents (
    id text PRIMARY KEY, title text NOT NULL, body text NOT NULL, owner_id text NOT NULL,
    department text NOT NULL, sensitivity text NOT NULL);
`;

export type Database = PGlite;

/** Opens the embedded database. Two servers must not share a folder, so the folder is locked. */
export async function openDatabase(dataDir: string): Promise<{ db: Database; close: () => Promise<void> }> {
  const unlock = dataDir === ':memory:' ? () => {} : lock(dataDir);
  const db = await PGlite.create(dataDir === ':memory:' ? {} : { dataDir: join(dataDir, 'pg') });
  await db.exec(TABLES);
  return { db, close: () => db.close().finally(unlock) };
}

function lock(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, 'lock');
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    const holder = Number(readFileSync(file, 'utf8'));
    if (isRunning(holder)) throw new Error(`DATA_DIR is in use by process ${holder}`);
    writeFileSync(file, String(process.pid));
  }
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && pid !== process.pid && process.kill(pid, 0);
  } catch {
    return false;
  }
}
