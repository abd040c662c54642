import { hash } from 'bcryptjs';

/** One evaluation of bcrypt: the only expensive thing that this folder does. */
export interface BcryptJob {
  /** At most 72 UTF-8 bytes and without NUL, so that bcrypt reads all of it. */
  readonly secret: string;
  /** Version, cost and salt: the first 29 characters of a bcrypt hash. */
  readonly salt: string;
}

/** Evaluates bcrypt in the thread that calls it. @returns the whole hash of 60 characters. */
export function runBcryptJob({ secret, salt }: BcryptJob): Promise<string> {
  return hash(secret, salt);
}
