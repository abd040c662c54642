import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoorwardError } from 'doorward';
import { readKey, secretKey, type TokenKey } from 'doorward/tokens';

/** Everything that can be set from outside; docs/example-server.md has the table. */
export interface Config {
  readonly production: boolean;
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  readonly signingKey: TokenKey;
  readonly demoPassword: string | undefined;
  readonly timeZone: string;
  readonly opaUrl: string | undefined;
  readonly pdpToken: string | undefined;
  readonly loginMaxFailures: number;
  readonly registerMaxPerHour: number;
  readonly accessTokenSeconds: number;
  readonly trustedProxies: readonly string[];
  readonly introspection: boolean;
  readonly logLevel: LogLevel;
  readonly warnings: readonly string[];
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Reads the settings from environment variables; a bad one stops the server with its name. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const production = env['NODE_ENV'] === 'production';
  const dataDir = env['DATA_DIR'] || '.data';
  const warnings: string[] = [];
  return {
    production,
    port: integer(env, 'PORT', 4000, 0, 65_535),
    host: env['HOST'] || '127.0.0.1',
    baseUrl: env['BASE_URL'] || undefined,
    dataDir,
    signingKey: signingKey(env, production, dataDir, warnings),
    demoPassword: env['DEMO_PASSWORD'] || undefined,
    timeZone: env['TIME_ZONE'] || 'UTC',
    opaUrl: env['OPA_URL'] || undefined,
    pdpToken: env['PDP_TOKEN'] || undefined,
    loginMaxFailures: integer(env, 'LOGIN_MAX_FAILURES', 10, 1, 1_000),
    registerMaxPerHour: integer(env, 'REGISTER_MAX_PER_HOUR', production ? 10 : 1_000, 1, 1_000_000),
    accessTokenSeconds: integer(env, 'ACCESS_TOKEN_SECONDS', 1_800, 1, 86_400),
    trustedProxies: (env['TRUSTED_PROXIES'] ?? '').split(',').map((entry) => entry.trim()).filter(Boolean),
    introspection: oneOf(env, 'GRAPHQL_INTROSPECTION', ['on', 'off'], 'on') === 'on',
    logLevel: oneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    warnings,
  };
}

function signingKey(env: Readonly<Record<string, string | undefined>>, production: boolean, dataDir: string, warnings: string[]): TokenKey {
  if (env['SIGNING_SECRET'] !== undefined) return secretKey(env['SIGNING_SECRET']);
  if (env['SIGNING_KEY_FILE'] !== undefined) return readKey(readFileSync(env['SIGNING_KEY_FILE'], 'utf8'));
  if (production) throw invalid('SIGNING_SECRET', 'or SIGNING_KEY_FILE must be set when NODE_ENV is production');
  warnings.push('no SIGNING_SECRET or SIGNING_KEY_FILE is set: signing with a generated secret');
  if (dataDir === ':memory:') return secretKey(randomBytes(48));
  const file = join(dataDir, 'signing-secret');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return secretKey(readFileSync(file, 'utf8'));
}

function integer(env: Readonly<Record<string, string | undefined>>, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw invalid(name, `must be a whole number from ${min} to ${max}`);
}

function oneOf<T extends string>(env: Readonly<Record<string, string | undefined>>, name: string, allowed: readonly T[], fallback: T): T {
  const found = allowed.find((value) => value === (env[name] || fallback));
  if (found === undefined) throw invalid(name, `must be one of ${allowed.join(', ')}`);
  return found;
}

function invalid(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
