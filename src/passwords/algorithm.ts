/**
 * A hashing algorithm in the manner of crypt(3): a hash is a text that carries its own salt and cost, and
 * hashing at the salt and cost of a given text is the only expensive thing that is ever done.
 */
export interface PasswordAlgorithm {
  /** The most UTF-8 bytes that it reads; `undefined` when it reads everything. */
  readonly maxBytes: number | undefined;
  /** Whether a text is a hash of this algorithm, at a cost that may be evaluated. */
  accepts(hash: string): boolean;
  /** A well-formed hash of the configured cost with a new salt, which no password is known to have. */
  blank(): string;
  /** Whether an accepted hash cost less than the configured cost. */
  isWeaker(hash: string): boolean;
  /** Hashes `input` at the salt and cost of an accepted hash. */
  evaluate(input: string, like: string): Promise<string>;
}
