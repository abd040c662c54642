import { describe, expect, it } from 'vitest';
import { judge } from '../../bench/judge.mjs';
import { pairedRatio, percentile, summary } from '../../bench/stats.mjs';

describe('percentile', () => {
  it('interpolates between neighbours, whatever the order and without sorting text-wise', () => {
    expect(percentile([10, 9, 2, 1], 0.5)).toBe(5.5);
    expect(percentile([100, 20, 3], 0.5)).toBe(20);
    expect(percentile([0, 10], 0.99)).toBeCloseTo(9.9);
    expect(percentile([7], 0.1)).toBe(7);
  });

  it('refuses to say anything about no values', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });

  it('leaves the values as they were', () => {
    const values = [3, 1, 2];
    summary(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe('pairedRatio', () => {
  it('divides inside each round and takes the median of the quotients', () => {
    expect(pairedRatio([10, 40, 900], [10, 20, 300]).median).toBe(2);
  });

  it('is not the quotient of the medians', () => {
    const [numerators, denominators] = [
      [1, 10, 200],
      [100, 1, 10],
    ];
    expect(pairedRatio(numerators, denominators).median).toBe(10);
    expect(summary(numerators).median / summary(denominators).median).toBe(1);
  });

  it('is not moved by a round in which the machine was slow for both', () => {
    expect(pairedRatio([3, 3, 3_000], [1, 1, 1_000])).toEqual({ p10: 3, median: 3, p90: 3 });
  });

  it('refuses rounds that are not paired', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow(RangeError);
  });
});

describe('judge', () => {
  const figures = new Map([
    ['peer', [{ cpuMs: 8 }, { cpuMs: 9 }, { cpuMs: 10 }]],
    ['ours', [{ cpuMs: 2 }, { cpuMs: 2 }, { cpuMs: 2 }]],
  ]);
  const goal = { figure: 'cpuMs', ratio: ['peer', 'ours'] } as const;

  it('divides the first contestant by the second', () => {
    expect(judge({ ...goal, atLeast: 4 }, figures).ratio.median).toBe(4.5);
  });

  it('meets a bound on the bound and misses it beyond', () => {
    expect(judge({ ...goal, atLeast: 4.5 }, figures).met).toBe(true);
    expect(judge({ ...goal, atLeast: 4.6 }, figures).met).toBe(false);
    expect(judge({ ...goal, atMost: 4.5 }, figures).met).toBe(true);
    expect(judge({ ...goal, atMost: 4.4 }, figures).met).toBe(false);
  });

  it('tells of a stretch whether it was reached, which decides nothing', () => {
    expect(judge({ ...goal, atLeast: 4, stretch: 4.5 }, figures)).toMatchObject({ met: true, reached: true });
    expect(judge({ ...goal, atLeast: 4, stretch: 5 }, figures)).toMatchObject({ met: true, reached: false });
    expect(judge({ ...goal, atMost: 3, stretch: 5 }, figures)).toMatchObject({ met: false, reached: true });
    expect(judge({ ...goal, atLeast: 4 }, figures)).not.toHaveProperty('reached');
  });

  it('divides one figure of a contestant by another, round by round', () => {
    const own = new Map([
      [
        'ours',
        [
          { p99: 3, p50: 2 },
          { p99: 9, p50: 3 },
          { p99: 100, p50: 50 },
        ],
      ],
    ]);
    const tail = { figure: 'p99', over: 'p50', ratio: ['ours', 'ours'] } as const;
    expect(judge({ ...tail, atMost: 2 }, own)).toMatchObject({ over: 'p50', ratio: { median: 2 }, met: true });
    expect(judge({ ...tail, atMost: 1.9 }, own).met).toBe(false);
    expect(judge({ ...tail, over: 'p10', atMost: 2 }, own).met).toBe(false);
  });

  it('never meets a bound with a figure that was not measured', () => {
    expect(judge({ ...goal, figure: 'wallMs', atMost: 5 }, figures).met).toBe(false);
    expect(judge({ ...goal, figure: 'wallMs', atLeast: 1 }, figures).met).toBe(false);
  });
});
