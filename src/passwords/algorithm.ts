/**
 * A hashing algorithm in the manner of crypt(3): a hash is a text that carries its own salt and cost, and
 * hashing at the salt and cost of a given text is the only expensive thing that is ever done.
 */
export interface PasswordAlgorithm<Hash> {
  /** The most UTF-8 bytes that it reads; `undefined` when it reads everything. */
  readonly maxBytes: number | undefined;
  /** @returns `undefined` for a text that is no hash of this algorithm, or of a cost that must not be evaluated. */
  read(text: string): Hash | undefined;
  /** A hash of the configured cost with a new salt, which no password is known to have. */
  blank(): Hash;
  /** Whether a hash cost less than the configured cost. */
  isWeaker(hash: Hash): boolean;
  /** Hashes `input` at the salt and cost of a hash. @returns the text of the new hash. */
  evaluate(input: string, like: Hash): Promise<string>;
}
