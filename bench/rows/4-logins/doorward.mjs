import { createBcryptHasher } from 'doorward/passwords';

/** The default hasher: cost 12, a worker per core. */
export function prepare(_input, options = {}) {
  const hasher = createBcryptHasher(options);
  return {
    verify: async (password, stored) => (await hasher.verify(password, stored)) === 'match',
    close: () => hasher.close(),
  };
}
