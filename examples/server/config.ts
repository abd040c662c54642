import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorwardError, isDoorwardError } from 'doorward';
import { readKey, secretKey, type TokenKey } from 'doorward/tokens';
import { z } from 'zod';

const whole = (min: number, max: number) => z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
const list = z.string().transform((text) => text.split(',').flatMap((entry) => entry.trim() || []));

/** Every setting by the name of its environment variable; docs/example-server.md has the table. */
const Settings = z.object({
  NODE_ENV: z.string().optional(),
  PORT: whole(0, 65_535).default(4_000),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data'),
  SIGNING_SECRET: z.string().optional(),
  SIGNING_KEY_FILE: z.string().optional(),
  DEMO_PASSWORD: z.string().min(8).optional(),
  TIME_ZONE: z.string().default('UTC'),
  OPA_URL: z.string().optional(),
  PDP_TOKEN: z.string().optional(),
  LOGIN_MAX_FAILURES: whole(1, 1_000).default(10),
  REGISTER_MAX_PER_HOUR: whole(1, 1_000_000).optional(),
  ACCESS_TOKEN_SECONDS: whole(1, 86_400).default(1_800),
  TRUSTED_PROXIES: list.default([]),
  GRAPHQL_INTROSPECTION: z.enum(['on', 'off']).default('on'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type Config = z.output<typeof Settings> & { readonly production: boolean; readonly signingKey: TokenKey };

/** Reads the settings; a bad one stops the server with its name, and never shows its value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { data: settings, error } = Settings.safeParse(env);
  const problem = error?.issues[0];
  if (problem !== undefined) throw invalid(String(problem.path[0]), `is refused: ${problem.message}`);
  if (settings === undefined) throw invalid('environment', 'cannot be read');
  return { ...settings, production: settings.NODE_ENV === 'production', signingKey: signingKey(settings) };
}

/** The configured key; in development a generated secret, kept beside the data. */
function signingKey({ NODE_ENV, DATA_DIR, SIGNING_SECRET, SIGNING_KEY_FILE }: z.output<typeof Settings>): TokenKey {
  if (SIGNING_SECRET !== undefined) return setting('SIGNING_SECRET', () => secretKey(SIGNING_SECRET));
  if (SIGNING_KEY_FILE !== undefined) return setting('SIGNING_KEY_FILE', () => readKey(readFileSync(SIGNING_KEY_FILE, 'utf8')));
  if (NODE_ENV === 'production') throw invalid('SIGNING_SECRET', 'or SIGNING_KEY_FILE must be set in production');
  console.warn('No SIGNING_SECRET or SIGNING_KEY_FILE is set: signing with a generated secret.');
  if (DATA_DIR === ':memory:') return secretKey(randomBytes(48));
  const file = join(DATA_DIR, 'signing-secret');
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600 });
  return secretKey(readFileSync(file, 'utf8'));
}

/** Makes something out of a setting; says which setting was wrong when that fails. */
export function setting<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw invalid(name, isDoorwardError(cause) ? cause.message : 'cannot be used');
  }
}

function invalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
