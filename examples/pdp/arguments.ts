import { parseArgs } from 'node:util';
import { DoorwardError } from 'doorward';

export const USAGE = `Serves a policy file over AuthZEN and over OPA's data API.

  npm run pdp -- --policy FILE [--port N] [--host H] [--time-zone ZONE] [--base-url URL] [--reasons]

PDP_TOKEN in the environment is the bearer token that callers must send.`;

export interface Arguments {
  readonly policy: string;
  readonly port: number;
  readonly host: string;
  readonly timeZone: string;
  /** The address that callers know, where it is not the one that the server listens at. */
  readonly baseUrl: string | undefined;
  readonly reasons: boolean;
  readonly token: string | undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** Reads the command line. Whoever may call is believed, so that callers of other machines need a token. */
export function readArguments(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Arguments {
  const { values } = parse(args);
  const { policy, port, host, reasons } = values;
  if (policy === undefined) throw refused('--policy', 'is required');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw refused('--port', 'must be a number from 0 to 65535');
  const token = env.PDP_TOKEN;
  if (token === '') throw refused('PDP_TOKEN', 'must not be empty');
  if (token === undefined && !isLoopback(host)) throw refused('PDP_TOKEN', `must be set to listen on ${host}`);
  const [timeZone, baseUrl] = [values['time-zone'], values['base-url']];
  return { policy, port: Number(port), host, timeZone, baseUrl, reasons, token };
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        policy: { type: 'string' },
        port: { type: 'string', default: '8181' },
        host: { type: 'string', default: '127.0.0.1' },
        'time-zone': { type: 'string', default: 'UTC' },
        'base-url': { type: 'string' },
        reasons: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw refused('the command line', `is refused: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function refused(field: string, problem: string): DoorwardError {
  return new DoorwardError('CONFIG_INVALID', { field, problem });
}
