import { readerOf } from '../condition/attribute.ts';
import { isScalar } from '../condition/value.ts';
import type { AttributePath } from '../policy/policy.ts';
import { type Atom, type Key, keysOf } from './atom.ts';
import { choicesOf } from './choices.ts';
import { requestOf } from './request-of.ts';
import type { Choice, Value } from './settle.ts';

const HALF_HOUR = 1_800_000;
const ODD_TIMES: readonly unknown[] = [0, 0.5, -1, 9e15, 'a', true, null, [], undefined];

/** The moment itself, and the hours that time zones count from it. */
export function isOfClock(key: Key): boolean {
  return key === 'environment.time' || key.includes('@');
}

/** A moment of every class that constants make, what is no moment, and every half hour of a day in winter and in summer. */
export function moments(open: readonly Atom[]): readonly unknown[] {
  const own = choicesOf(open.filter((atom) => keysOf(atom).every((key) => key === 'environment.time'))).choices;
  const classes = own.flatMap((choice) =>
    choice.kind === 'attribute' && choice.value.is === 'scalar' ? [choice.value.value] : [],
  );
  const hours = [Date.UTC(2026, 0, 12), Date.UTC(2026, 6, 13)].flatMap((start) =>
    Array.from({ length: 48 }, (_, half) => start + half * HALF_HOUR),
  );
  return [...classes, ...ODD_TIMES, ...hours];
}

/** Chooses the moment, and with it the hour in every zone. */
export function momentOf(time: unknown, clock: ReadonlySet<Key>): readonly Choice[] {
  const at: Choice = { kind: 'attribute', key: 'environment.time', value: asValue(time) };
  const request = requestOf([at]);
  const hours = [...clock].flatMap((key): readonly Choice[] => {
    const [path = '', timeZone] = key.split('@');
    if (timeZone === undefined) return [];
    return [{ kind: 'attribute', key, value: asValue(readerOf(path as AttributePath, timeZone)(request)) }];
  });
  return [at, ...hours];
}

function asValue(raw: unknown): Value {
  if (isScalar(raw)) return { is: 'scalar', value: raw };
  return raw === undefined ? { is: 'nothing' } : { is: 'nothing', raw };
}
