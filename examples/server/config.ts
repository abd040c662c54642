import { readFileSync } from 'node:fs';
import { DoorwardError, environmentSource, isDoorwardError } from 'doorward';
import { createOpaClient } from 'doorward/opa';
import { readKey, secretKey, type TokenKey } from 'doorward/tokens';
import { z } from 'zod';
import { generatedKey } from '../data/generated-key.ts';

const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
const list = z.string().transform((text) => text.split(',').flatMap((entry) => entry.trim() || []));
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** What a setting becomes; a refusal names the setting and never shows its value. */
const made = <T>(make: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return make(text);
    } catch (error) {
      context.addIssue(isDoorwardError(error) ? error.message : 'cannot be used');
      return z.NEVER;
    }
  });

/** Every setting by the name of its environment variable; docs/example-server.md has the table. */
const Settings = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: whole(0, 65_535).default(4_000),
  HOST: z.string().default('127.0.0.1'),
  BASE_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data'),
  SIGNING_SECRET: made(secretKey).optional(),
  SIGNING_KEY_FILE: made((file) => readKey(readFileSync(file, 'utf8'))).optional(),
  DEMO_PASSWORD: z.string().min(8).optional(),
  TIME_ZONE: made((timeZone) => environmentSource({ timeZone }) && timeZone).default('UTC'),
  OPA_URL: made((url) => createOpaClient({ url, roleOrder: ['admin', 'moderator', 'editor', 'viewer'] })).optional(),
  PDP_TOKEN: z.string().min(1).optional(),
  LOGIN_MAX_FAILURES: whole(1, 1_000).default(10),
  REGISTER_MAX_PER_HOUR: whole(1, 1_000_000).optional(),
  ACCESS_TOKEN_SECONDS: whole(1, 86_400).default(1_800),
  TRUSTED_PROXIES: list.pipe(z.array(network)).default([]),
  GRAPHQL_INTROSPECTION: z.enum(['on', 'off']).default('on'),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

export type Config = z.output<typeof Settings> & { readonly production: boolean; readonly signingKey: TokenKey };

/** Reads the settings; a bad one stops the server. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { data, error } = Settings.safeParse(env);
  const [issue] = error?.issues ?? [];
  if (data === undefined) throw refused(String(issue?.path[0]), `is refused: ${issue?.message}`);
  const production = data.NODE_ENV === 'production';
  const signingKey =
    data.SIGNING_SECRET ?? data.SIGNING_KEY_FILE ?? (production ? undefined : generatedKey(data.DATA_DIR));
  if (signingKey === undefined) throw refused('SIGNING_SECRET', 'or SIGNING_KEY_FILE must be set in production');
  return { ...data, production, signingKey };
}

function refused(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
