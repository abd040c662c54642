import { createHash } from 'node:crypto';
import type { Peppers } from './pepper.ts';

/** A stored text, taken apart. */
export interface StoredText {
  /** Tells what the algorithm was given for the password: see {@link PasswordForms}. */
  readonly form: string;
  /** The algorithm's own text. */
  readonly text: string;
}

/**
 * What an algorithm is given for a password. The form stands before the algorithm's own text: nothing for
 * the password itself, `$dw1` for Base64 of its SHA-384, for what the algorithm would cut, and `$dw2$`
 * with the id of a pepper for Base64 of its HMAC-SHA-384.
 */
export interface PasswordForms {
  /** The form that a new hash of this password has. */
  newFormOf(password: string): string;
  /** Whether hashes of this form can be checked. */
  isKnown(form: string): boolean;
  /** Whether a matching password would get this form today. */
  isCurrent(form: string): boolean;
  /** @returns what the algorithm reads, whole; `undefined` when the password has no such form. */
  inputOf(password: string, form: string): string | undefined;
}

const PLAIN = '';
const PREHASHED = '$dw1';
const PEPPERED = '$dw2$';
const FORM = /^(?:\$dw1|\$dw2\$[\w-]{1,16})(?=\$)/;

/** Takes a stored text apart; a text without one of our prefixes is all hash. */
export function splitStored(stored: string): StoredText {
  const form = FORM.exec(stored)?.[0] ?? PLAIN;
  return { form, text: stored.slice(form.length) };
}

/** @param maxBytes what the algorithm reads, in UTF-8 bytes; `undefined` when it reads everything */
export function passwordForms(maxBytes: number | undefined, peppers: Peppers): PasswordForms {
  const fits = (password: string): boolean => maxBytes === undefined || Buffer.byteLength(password) <= maxBytes;
  const current = peppers.current === undefined ? undefined : PEPPERED + peppers.current;
  const isUnpeppered = (form: string): boolean => form === PLAIN || (form === PREHASHED && maxBytes !== undefined);

  return {
    newFormOf: (password) => current ?? (fits(password) ? PLAIN : PREHASHED),
    isKnown: (form) => isUnpeppered(form) || (form.startsWith(PEPPERED) && peppers.has(form.slice(PEPPERED.length))),
    isCurrent: (form) => (current === undefined ? isUnpeppered(form) : form === current),
    inputOf(password, form) {
      if (form === PLAIN) return fits(password) ? password : undefined;
      if (form !== PREHASHED) return peppers.apply(form.slice(PEPPERED.length), password);
      return fits(password) ? undefined : createHash('sha384').update(password).digest('base64');
    },
  };
}
