import { createTokenIssuer, createTokenVerifier, type TokenRejection } from 'doorward/tokens';
import { algorithms, clock, encode, forge, goodClaims, keys, NOW, rsa } from './forge.ts';

const REASONS: ReadonlySet<string> = new Set<TokenRejection>([
  ...(['malformed', 'too_large', 'unknown_key', 'algorithm', 'signature', 'type', 'critical_header'] as const),
  ...(['claims', 'expired', 'not_yet_valid', 'lifetime', 'issuer', 'audience', 'revoked'] as const),
]);

type Random = () => number;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ALPHABET = [
  ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  ...['.', '=', '+', '/', ' ', '\n', '\0', '\t', '%', '\u0141', '\ufeff', '\ud800'],
];
const VALUES = [
  ...['none', 'HS256', 'RS256', 'ES256', 'PS256', 'JWT', 'at+jwt', 'ada', 'admin', '', null, true, 0, -1],
  ...[NOW, NOW + 60, NOW + 1e9, 1e308, [], ['ada'], {}, { sub: 'admin' }],
];
const NAMES = [
  'alg',
  'typ',
  'kid',
  'crit',
  'b64',
  'zip',
  'jwk',
  'jku',
  'x5c',
  'cty',
  'sub',
  'exp',
  'iat',
  'nbf',
  'aud',
];
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });

interface Original {
  readonly token: string;
  readonly verify: readonly ((token: string) => unknown)[];
}

function originals(): readonly Original[] {
  return algorithms.map((alg) => {
    const key = keys[alg];
    const token = createTokenIssuer({ key, clock }).issue({ sub: 'ada', uid: '1', roles: ['reader'] });
    const verifiers = [
      createTokenVerifier({ keys: [key], clock }),
      createTokenVerifier({ keys: [key], clock, cache: { maxTokens: 16 } }),
    ];
    for (const by of verifiers) {
      if (!by.verify(token).ok) throw new Error(`the ${alg} original is refused`);
    }
    return { token, verify: verifiers.map((by) => (mutant: string) => by.verify(mutant)) };
  });
}

/** Tokens made out of good ones by somebody who has no key, and by somebody who has one and signs nonsense. */
function createMutator(random: Random, tokens: readonly string[]): (token: string) => string {
  const pick = <T>(list: ArrayLike<T>): T => list[Math.floor(random() * list.length)] as T;
  const place = (text: string) => Math.floor(random() * (text.length + 1));
  const object = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString());
  const withMember = (part: string) => {
    const text = JSON.stringify({ ...object(part), [pick(NAMES)]: pick(VALUES) });
    const repeated = `${text.slice(0, -1)},${JSON.stringify(pick(NAMES))}:${JSON.stringify(pick(VALUES))}}`;
    return encode(random() < 0.7 ? text : repeated);
  };
  const edit = (text: string) => {
    const at = place(text);
    const kinds = [
      () => text.slice(0, at) + pick(ALPHABET) + text.slice(at + 1),
      () => text.slice(0, at) + pick(ALPHABET) + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1),
      () => text.slice(0, at),
      () => text + text,
      () => Buffer.from(text, 'base64url').toString('base64'),
      () => text.toUpperCase(),
      () => '',
    ];
    return pick(kinds)();
  };
  const flip = (part: string) => {
    const bytes = Buffer.from(part, 'base64url');
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return bytes.toString('base64url');
  };
  const nonsense = (): readonly [string, unknown][] => [
    ['sub', pick(['', 0, null, [], {}, 'x'.repeat(257)])],
    ['exp', pick([NOW, NOW - 1, 0, -1, null, `${NOW + 60}`, NOW + 0.5, NOW + 100_000, 1e308])],
    ['iat', pick([NOW + 1, null, '0', NOW - 90_000, 1.5])],
    ['nbf', pick([NOW + 1, null, '0', 1.5])],
    ['aud', pick(['api', ['api'], null, 1, [1]])],
    ['jti', pick(['', null, 1])],
  ];

  return (token) => {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const [otherHeader = '', otherPayload = '', otherSignature = ''] = pick(tokens).split('.');
    const kinds = [
      () => edit(token),
      () => edit(edit(token)),
      () => [edit(header), payload, signature].join('.'),
      () => [header, edit(payload), signature].join('.'),
      () => [header, payload, edit(signature)].join('.'),
      () => [header, payload, flip(signature)].join('.'),
      () => [header, flip(payload), signature].join('.'),
      () => [withMember(header), payload, signature].join('.'),
      () => [header, withMember(payload), signature].join('.'),
      () => [otherHeader, payload, otherSignature].join('.'),
      () => [header, otherPayload, otherSignature].join('.'),
      () =>
        forge({ alg: pick(['HS256', 'RS256', 'ES256', 'none']), typ: 'JWT' }, object(payload), pick([pem, 'guess'])),
      () => forge({ alg: 'HS256', typ: 'JWT' }, { ...goodClaims, ...Object.fromEntries([pick(nonsense())]) }),
      () => forge({ alg: 'HS256', typ: 'JWT', [pick(['crit', 'b64', 'zip'])]: pick(VALUES) }, goodClaims),
    ];
    return pick(kinds)();
  };
}

/**
 * Shows mutants to verifiers of every algorithm, with and without a cache that knows the originals.
 *
 * @returns the accepted ones, the answers that are no refusal of a known reason, and the mean time of a refusal
 */
export function showMutants(
  count: number,
  seed: number,
): { accepted: string[]; odd: unknown[]; mutants: number; meanMicroseconds: number } {
  const random = randomFrom(seed);
  const all = originals();
  const tokens = all.map(({ token }) => token);
  const mutate = createMutator(random, tokens);
  const accepted: string[] = [];
  const odd: unknown[] = [];
  let mutants = 0;
  let spent = 0;
  while (mutants < count) {
    const { token, verify } = all[Math.floor(random() * all.length)] as Original;
    const mutant = mutate(token);
    if (tokens.includes(mutant)) continue;
    const by = verify[mutants % verify.length] as (token: string) => { ok: unknown; reason?: unknown };
    const before = performance.now();
    const result = by(mutant);
    spent += performance.now() - before;
    mutants++;
    if (result.ok === true) accepted.push(mutant);
    else if (result.ok !== false || !REASONS.has(String(result.reason))) odd.push(result);
  }
  return { accepted, odd, mutants, meanMicroseconds: (spent * 1_000) / mutants };
}
