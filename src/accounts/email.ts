const MAX_LENGTH = 254;
const SHAPE = /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(?:\.[^\s@.\p{C}]+)*$/u;

/** Tells whether a text has the shape of an e-mail address; whether it is one, only a message to it tells. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && SHAPE.test(text);
}
