import { createBcryptHasher } from 'doorward/passwords';
import { it, expect } from 'vitest';
it('s', async () => { const h = createBcryptHasher({cost:4}); const s = await h.hash('abc'); expect(s).toMatch(/^\$2b\$04/); expect(await h.verify('abc', s)).toBe('match'); await h.close(); });
