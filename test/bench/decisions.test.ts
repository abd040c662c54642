import { describe, expect, it } from 'vitest';
import { answers, costOfDecision } from '../../bench/rows/2-policies/decisions.mjs';

const questions = [1, 2, 3, 4];
const expected = [false, true, false, true];
const isEven = (question: number): boolean => question % 2 === 0;

describe('answers', () => {
  it('counts what was asked and what was allowed', async () => {
    expect(await answers({ questions, decide: isEven }, expected)).toEqual({ allowed: 2, asked: 4 });
    expect(await answers({ questions, decide: async (question: number) => isEven(question) }, expected)).toEqual({
      allowed: 2,
      asked: 4,
    });
  });

  it('lets nobody run who answers one question wrongly', async () => {
    await expect(answers({ questions, decide: (question: number) => question > 1 }, expected)).rejects.toThrow(
      'question 2',
    );
  });

  it('takes only a boolean for an answer', async () => {
    const decide = (question: number) => (isEven(question) ? 'yes' : 0) as unknown as boolean;
    await expect(answers({ questions, decide }, expected)).rejects.toThrow('question 0');
  });

  it('wants every question answered', async () => {
    await expect(answers({ questions: [1, 2], decide: isEven }, expected)).rejects.toThrow('2 answers to 4 questions');
  });
});

describe('costOfDecision', () => {
  const timing = { warmUpMs: 1, measureMs: 1 };

  it('goes on with the next question where the last operation ended', async () => {
    const asked: number[] = [];
    const decide = (question: number): boolean => {
      asked.push(question);
      // So slow that one decision is an operation.
      for (const end = performance.now() + 1.5; performance.now() < end; );
      return true;
    };
    await costOfDecision({ questions: [1, 2], decide }, timing);
    expect(new Set(asked)).toEqual(new Set([1, 2]));
  });

  it('refuses a contestant that allows nothing', async () => {
    await expect(costOfDecision({ questions, decide: () => false }, timing)).rejects.toThrow('nothing was allowed');
  });
});
