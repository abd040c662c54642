/** What an Argon2id hash was made with, and the hash itself. */
export interface Argon2Hash {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

/** The most that is evaluated: one stored text must not take the memory, or a thread for many seconds. */
export const MAX_MEMORY_KIB: number = 256 * 1_024;
export const MAX_PASSES = 10;
export const MAX_PARALLELISM = 16;
/** RFC 9106 section 3.1: at least 8 KiB for each lane. */
export const MIN_KIB_PER_LANE = 8;
/** In KiB times passes: 1 GiB once, or 256 MiB four times. */
export const MAX_WORK: number = 1_024 * 1_024;

const PHC =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/**
 * Reads a hash in the PHC string format.
 *
 * @returns `undefined` for every other text: another type or version of Argon2, more cost than is
 * evaluated, unknown parameters, Base64 that is not written in the one canonical way.
 */
export function parsePhc(text: string): Argon2Hash | undefined {
  const [, m = '', t = '', p = '', saltText = '', digestText = ''] = PHC.exec(text) ?? [];
  const [salt, digest] = [decode(saltText), decode(digestText)];
  if (salt === undefined || digest === undefined) return undefined;
  const hash = { memoryKiB: Number(m), passes: Number(t), parallelism: Number(p), salt, digest };
  return costProblem(hash) === undefined ? hash : undefined;
}

/** Writes a hash in the PHC string format. */
export function formatPhc({ memoryKiB, passes, parallelism, salt, digest }: Argon2Hash): string {
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${encode(salt)}$${encode(digest)}`;
}

/** What is wrong with whole numbers as a cost; `undefined` when nothing is. */
export function costProblem(cost: Omit<Argon2Hash, 'salt' | 'digest'>): string | undefined {
  const { memoryKiB, passes, parallelism } = cost;
  if (!(parallelism >= 1 && parallelism <= MAX_PARALLELISM)) return `needs 1 to ${MAX_PARALLELISM} lanes`;
  if (!(passes >= 1 && passes <= MAX_PASSES)) return `needs 1 to ${MAX_PASSES} passes`;
  if (!(memoryKiB >= MIN_KIB_PER_LANE * parallelism && memoryKiB <= MAX_MEMORY_KIB)) {
    return `needs ${MIN_KIB_PER_LANE} KiB for each lane and at most ${MAX_MEMORY_KIB}`;
  }
  return memoryKiB * passes <= MAX_WORK ? undefined : `times \`passes\` must be at most ${MAX_WORK}`;
}

/** Base64 without padding, as the format has it. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function decode(text: string): Buffer | undefined {
  if (text === '') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').startsWith(text) ? bytes : undefined;
}
