import { createHmac } from 'node:crypto';
import { createMemoryOnceStore, createMemoryTotpStore } from 'doorward/stores/memory';
import { createTotp, type Totp, type TotpOptions, type TotpStore } from 'doorward/totp';

export const SEAL_KEY = 'hS7w1Zq9LrV4cXe2TnB8mKd5Jy3Gf6Pa';
export const START = 1_700_000_010_000;
export const STEP = 30_000;

/** An authenticator app by RFC 4226 section 5.3, written without the library that is tested. */
export function codeOf(secret: Uint8Array, at: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** RFC 4648 section 6. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((symbol) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(symbol).toString(2).padStart(5, '0'),
  );
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export interface World {
  readonly totp: Totp;
  readonly store: TotpStore;
  readonly time: { now: number };
  /** Enrols and confirms; the time is a fresh step afterwards. */
  enrolled(
    accountId: string,
  ): Promise<{ readonly code: (drift?: number) => string; readonly recovery: readonly string[] }>;
  /** Enrols only. */
  waiting(accountId: string): Promise<(drift?: number) => string>;
}

export function createWorld(options: Partial<TotpOptions> = {}): World {
  const time = { now: START };
  const store = options.store ?? createMemoryTotpStore();
  const all = { once: createMemoryOnceStore(), sealKey: SEAL_KEY, issuer: 'Example', clock: () => time.now };
  const totp = createTotp({ ...all, ...options, store });
  const waiting: World['waiting'] = async (accountId) => {
    const secret = fromBase32((await totp.enrol(accountId, 'ada')).secret);
    return (drift = 0) => codeOf(secret, time.now + drift * STEP);
  };
  return {
    totp,
    store,
    time,
    waiting,
    async enrolled(accountId) {
      const code = await waiting(accountId);
      const recovery = await totp.confirm(accountId, code());
      if (recovery === undefined) throw new Error('the first code was refused');
      time.now += 10 * STEP;
      return { code, recovery };
    },
  };
}

/** Digits that are no code of this enrolment, near or far. */
export function wrongCode(code: (drift?: number) => string): string {
  const near = new Set([-3, -2, -1, 0, 1, 2, 3].map((drift) => code(drift)));
  for (let guess = 0; ; guess += 1) {
    const digits = String(guess).padStart(6, '0');
    if (!near.has(digits)) return digits;
  }
}
