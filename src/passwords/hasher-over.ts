import { timingSafeEqual } from 'node:crypto';
import { DoorwardError } from '../core/index.ts';
import type { PasswordAlgorithm } from './algorithm.ts';
import type { PasswordHasher, PasswordVerdict } from './hasher.ts';
import { passwordForms, type StoredText, splitStored } from './password-form.ts';
import { isHashable } from './password-text.ts';
import type { Peppers } from './pepper.ts';

/** A stored text that can be checked. */
interface Checkable<Hash> extends StoredText {
  readonly hash: Hash;
}

/** The rules of {@link PasswordHasher} over an algorithm: every `hash` and every `verify` costs one evaluation. */
export function hasherOver<Hash>(
  algorithm: PasswordAlgorithm<Hash>,
  peppers: Peppers,
  close: () => Promise<void>,
): PasswordHasher {
  const forms = passwordForms(algorithm.maxBytes, peppers);
  /** Costs what a new hash costs; nothing ever matches it. */
  const dummy = algorithm.blank();

  /** @param stored whatever was in the database; a column that is NULL is no text */
  function read(stored: unknown): Checkable<Hash> | undefined {
    if (typeof stored !== 'string') return undefined;
    const parts = splitStored(stored);
    const hash = forms.isKnown(parts.form) ? algorithm.read(parts.text) : undefined;
    return hash && { ...parts, hash };
  }

  async function hash(password: string): Promise<string> {
    if (!isHashable(password)) throw notHashable();
    const form = forms.newFormOf(password);
    const input = forms.inputOf(password, form);
    if (input === undefined) throw notHashable();
    return form + (await algorithm.evaluate(input, algorithm.blank()));
  }

  async function verify(password: string, stored: string | undefined): Promise<PasswordVerdict> {
    const known = read(stored);
    const hashable = isHashable(password);
    const form = known?.form ?? (hashable ? forms.newFormOf(password) : '');
    const input = hashable ? forms.inputOf(password, form) : undefined;
    // What can match nothing costs an evaluation all the same: its absence could be timed.
    const actual = await algorithm.evaluate(input ?? '', known?.hash ?? dummy);
    if (known === undefined) return stored === undefined ? 'mismatch' : 'corrupt';
    return input !== undefined && isEqual(actual, known.text) ? 'match' : 'mismatch';
  }

  function needsRehash(stored: string): boolean {
    const known = read(stored);
    return known === undefined || !forms.isCurrent(known.form) || algorithm.isWeaker(known.hash);
  }

  return { hash, verify, recognises: (stored) => read(stored) !== undefined, needsRehash, close };
}

function notHashable(): DoorwardError {
  return new DoorwardError('INPUT_INVALID', { field: 'password', problem: 'cannot be hashed' });
}

function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
