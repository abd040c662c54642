import { createArgon2Hasher } from 'doorward/argon2';

/** Argon2id at the cost of OWASP, by its default hasher. It checks a hash of its own. */
export async function prepare({ password }, options = {}) {
  const hasher = createArgon2Hasher(options);
  const own = await hasher.hash(password);
  return {
    verify: async (tried, stored) => (await hasher.verify(tried, stored && own)) === 'match',
    close: () => hasher.close(),
  };
}
