import { readFileSync } from 'node:fs';
import { DoorwardError, environmentSource } from 'doorward';
import { createClientRegistry } from 'doorward/oauth';
import { createOpaClient } from 'doorward/opa';
import { deriveSecret, type Keyring, secretKey } from 'doorward/tokens';
import { z } from 'zod';
import { generatedSecret } from '../data/generated-key.ts';
import { keyringOf, namedKeys, namedSecret } from '../identity/keys.ts';
import { authorizationServerOf } from '../identity/oauth.ts';
import { list, made, network, whole } from '../tools/settings.ts';

/** Every setting by the name of its environment variable; docs/example-server.md has the table. */
const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: whole(0, 65_535).default(4_000),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data'),
  SIGNING_SECRET: made(namedSecret).optional(),
  PREVIOUS_SIGNING_SECRET: made(namedSecret).optional(),
  SIGNING_KEY_FILE: made((file) => namedKeys(readFileSync(file, 'utf8'))).optional(),
  CLIENTS_FILE: made((file) => createClientRegistry(JSON.parse(readFileSync(file, 'utf8')))).optional(),
  AUTH_ISSUER: z.url().optional(),
  AUTH_AUDIENCE: z.string().min(1).optional(),
  FACTOR_SECRET: made(secretKey).optional(),
  PASSWORD_HASH: z.enum(['bcrypt', 'argon2id']).default('bcrypt'),
  PASSWORD_PEPPER: z.string().min(1).optional(),
  ADMIN_PASSWORD: z.string().min(8).optional(),
  DEMO_PASSWORD: z.string().min(8).optional(),
  TIME_ZONE: made((timeZone) => environmentSource({ timeZone }) && timeZone).default('UTC'),
  OPA_URL: made((url) => createOpaClient({ url, roleOrder: ['admin', 'moderator', 'editor', 'viewer'] })).optional(),
  PDP_TOKEN: z.string().min(1).optional(),
  LOGIN_MAX_FAILURES: whole(1, 1_000).default(10),
  REGISTER_MAX_PER_HOUR: whole(1, 1_000_000).optional(),
  ACCESS_TOKEN_SECONDS: whole(1, 86_400).default(1_800),
  REFRESH_GRACE_SECONDS: whole(0, 60).default(10),
  TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  GRAPHQL_INTROSPECTION: z.enum(['on', 'off']).default('on'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type Config = z.output<typeof Settings> & {
  readonly production: boolean;
  readonly keyring: Keyring;
  /** A secret for one purpose, never one that signs tokens. */
  readonly secretFor: (purpose: string) => Buffer;
  /** The clients and keys of the authorization server; none where another issuer has its role, or nobody could use it. */
  readonly oauth: ReturnType<typeof authorizationServerOf>;
};

/** Reads the settings; a bad one stops the server. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { data, error } = Settings.safeParse(env);
  const [issue] = error?.issues ?? [];
  if (data === undefined) throw refused(String(issue?.path[0]), `is refused: ${issue?.message}`);
  const production = data.NODE_ENV === 'production';
  const { SIGNING_SECRET: secret, SIGNING_KEY_FILE: files = [], PREVIOUS_SIGNING_SECRET: retired } = data;
  const active = secret ?? files[0] ?? (production ? undefined : generatedSecret(data.DATA_DIR));
  if (active === undefined) throw refused('SIGNING_SECRET', 'or SIGNING_KEY_FILE must be set in production');
  return {
    ...data,
    production,
    keyring: keyringOf({ active, next: files.filter((key) => key !== active), retired }),
    secretFor: (purpose) => deriveSecret(data.FACTOR_SECRET ?? active, purpose),
    oauth: authorizationServerOf(data, production),
  };
}

function refused(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
