import { allow, narrowByScopes } from 'doorward';
/** A toy model: the same input always gets the same numbers from 0 to 1. */
export function predict(input: string): { result: number; confidence: number } {
  let sum = 0;
  for (const character of input) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000;
  return { result: sum / 1_000, confidence: Math.abs(sum - 500) / 500 };
}

/** Everybody may ask the model; a client that acts for somebody needs the scope of that name. */
export const mayPredict = {
  pdp: narrowByScopes({ decide: () => allow('rule') }),
  action: 'ml.predict',
  resource: () => ({ type: 'model', attributes: {} }),
};
