import { expect, it } from 'vitest';

/** Stryker takes a suite that cannot be loaded for one that found nothing: here loading is a test of its own. */
it('the engine can be loaded', async () => {
  const { createPolicyEngine, owner, policy, rule } = await import('doorward/abac');
  expect(createPolicyEngine(policy('p', [rule.allow('o', owner())])).compiled).toBe('closures');
});
