/** What people write where a random value belongs. Longer words first, so that they win over their parts. */
const WORDS = [
  ...['authentication', 'authorization', 'development', 'application', 'production', 'graphql', 'doorward'],
  ...['changeit', 'changeme', 'password', 'passwd', 'default', 'example', 'private', 'replace', 'service', 'signing'],
  ...['staging', 'keyboard', 'insecure', 'security', 'letmein', 'welcome', 'monkey', 'dragon', 'iloveyou', 'qwerty'],
  ...['asdfgh', 'zxcvbn', 'access', 'bearer', 'change', 'please', 'random', 'sample', 'secret', 'secure', 'server'],
  ...['should', 'string', 'admin', 'bytes', 'dummy', 'hello', 'least', 'super', 'token', 'value', 'world', 'hmac'],
  ...['hs256', 'sha256', 'characters', 'chars', 'this', 'that', 'very', 'long', 'must', 'your', 'user', 'test', 'with'],
  ...['prod', 'some', 'demo', 'root', 'pass', 'here', 'more', 'than', 'auth', 'node', 'keep', 'safe', 'bits', 'bit'],
  ...['jwt', 'key', 'the', 'not', 'use', 'for', 'and', 'foo', 'bar', 'baz', 'dev', 'app', 'api', 'env', 'its', 'are'],
  ...['is', 'in', 'do', 'my', 'at', 'of', 'to', 'be', 'me', 'it', 'an', 'or', 'so', 'we'],
];
const WORD = new RegExp(WORDS.join('|'), 'gi');
const SEPARATORS = /[\s._:/,;!?'"-]+/g;
/** Stands for a word, which is worth about as much as one random character. */
const ONE_SYMBOL = '\u0000';
const MIN_BITS = 64;

/**
 * Estimates whether someone made a secret up: it repeats itself, or little is left of it once known
 * words, separators, runs and sequences are counted for the little that they are worth. Random bytes,
 * Base64 and hexadecimal pass.
 */
export function isGuessable(secret: string): boolean {
  return period(secret) * 2 <= secret.length || estimatedBits(secret) < MIN_BITS;
}

function estimatedBits(secret: string): number {
  const text = secret.replaceAll(WORD, ONE_SYMBOL).replaceAll(SEPARATORS, '');
  let symbols = 0;
  for (let i = 0; i < text.length; i++) {
    if (i === 0 || Math.abs(text.charCodeAt(i) - text.charCodeAt(i - 1)) > 1) symbols++;
  }
  return symbols * Math.log2(new Set(text).size);
}

/** The length of the shortest beginning whose repetition gives the whole text (Knuth, Morris and Pratt). */
function period(text: string): number {
  const borders = [0];
  let border = 0;
  for (let i = 1; i < text.length; i++) {
    while (border > 0 && text[i] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[i] === text[border]) border++;
    borders.push(border);
  }
  return text.length - border;
}
