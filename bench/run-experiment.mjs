import { assertSameAnswers } from './assert-same-answers.mjs';
import { runContestant } from './run-contestant.mjs';

/** Under this name the contestant of the null pair runs a second time. */
export const again = (contestant) => `${contestant} (again)`;

/**
 * Compares all answers before anything is timed, then runs the rounds, A B C A B C, a process each. A single round
 * measures nothing of worth: its own answers are compared, which spares every contestant a process.
 * @returns {Promise<Map<string, Record<string, number>[]>>} the figures of every round by contestant
 */
export async function runExperiment(experiments, index, { rounds, timing, onRound }) {
  const { contestants, nullPair, nodeOptions = {} } = experiments[index];
  const run = (assignment) => runContestant({ experiment: index, ...assignment }, nodeOptions[assignment.contestant]);
  if (rounds > 1) {
    const reports = [];
    for (const contestant of contestants) reports.push({ contestant, ...(await run({ contestant })) });
    assertSameAnswers(reports);
  }

  const entrants = [...contestants.map((contestant) => [contestant, contestant]), [again(nullPair), nullPair]];
  const figures = new Map(entrants.map(([name]) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    const reports = [];
    for (const [name, contestant] of entrants)
      reports.push({ contestant: name, ...(await run({ contestant, timing })) });
    assertSameAnswers(reports);
    for (const report of reports) figures.get(report.contestant).push(report.figures);
    onRound(round);
  }
  return figures;
}
