import { checkedFlag, guarded } from '../../core/guarded.ts';
import type { Caller } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { texts } from '../record.ts';
import type { Settings } from '../settings.ts';
import type { SecondFactor } from './second-factor.ts';

/** What the second factors say to a login whose password was right. */
export type FactorVerdict =
  | { readonly kind: 'proved'; readonly amr: readonly string[]; readonly factor: SecondFactor }
  | { readonly kind: 'unneeded' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wrong' };

/** The factors that an account has to bring one of; none when it has none enrolled. */
export async function enrolledFactors(
  accountId: string,
  { factors, storeTimeoutMs }: Settings,
): Promise<readonly SecondFactor[]> {
  const flags = await Promise.all(
    factors.map((factor) => guarded(async () => checkedFlag(await factor.isEnrolled(accountId)), storeTimeoutMs)),
  );
  return factors.filter((_, index) => flags[index] === true);
}

/** Asks the enrolled factors whose proof is there, one after the other, until one is good. */
export async function checkFactors(
  accountId: string,
  credentials: unknown,
  enrolled: readonly SecondFactor[],
  { storeTimeoutMs }: Settings,
  caller: Caller,
): Promise<FactorVerdict> {
  if (enrolled.length === 0) return { kind: 'unneeded' };
  let isTried = false;
  for (const factor of enrolled) {
    const proof = ownProperty(credentials, factor.field);
    if (isAbsent(proof)) continue;
    isTried = true;
    const amr = await guarded(async () => methodsOf(await factor.verify(accountId, proof, caller)), storeTimeoutMs);
    if (amr !== undefined) return { kind: 'proved', amr, factor };
  }
  return { kind: isTried ? 'wrong' : 'missing' };
}

/** An empty field of a form is no attempt. */
function isAbsent(proof: unknown): boolean {
  return proof === undefined || proof === null || proof === '';
}

/** `true`, `null` and an empty list are no methods: only what says how it was proved has proved it. */
function methodsOf(answer: unknown): readonly string[] | undefined {
  if (answer === undefined) return undefined;
  const amr = texts(answer, 'amr');
  if (amr.length === 0) throw new Error('a second factor proved nothing');
  return amr;
}
