import { availableParallelism, cpus } from 'node:os';
import { experiments } from './experiments.mjs';
import { judge } from './judge.mjs';
import { parseOptions, ROUNDS_TO_JUDGE, usage } from './options.mjs';
import { print } from './print.mjs';
import { again, runExperiment } from './run-experiment.mjs';
import { summary } from './stats.mjs';

const rowsOf = ({ goals }) => [...new Set(goals.map(({ row }) => row))];

function summarise(rounds, figures) {
  const measured = figures.filter((figure) => rounds.every((round) => round[figure] !== undefined));
  return Object.fromEntries(measured.map((figure) => [figure, summary(rounds.map((round) => round[figure]))]));
}

async function settle(index, { rows, rounds, quick }) {
  const { title, figures, nullPair, goals, timing } = experiments[index];
  const wanted = goals.filter(({ row }) => rows.includes(row));
  const measured = await runExperiment(experiments, index, {
    rounds,
    timing: quick ? timing.quick : timing.full,
    onRound: (round) => process.stderr.write(`${title}: round ${round} of ${rounds}\n`),
  });
  const nullGoals = [...new Set(wanted.map(({ figure }) => figure))].map((figure) => ({
    figure,
    ratio: [again(nullPair), nullPair],
  }));
  return {
    title,
    figures,
    contestants: Object.fromEntries(
      [...measured].map(([name, values]) => [name, summarise(values, Object.keys(figures))]),
    ),
    nullPair: nullGoals.map((goal) => judge(goal, measured)),
    goals: wanted.map((goal) => judge(goal, measured)),
  };
}

async function main(options) {
  const { rows, rounds, json, check } = options;
  const machine = `Node ${process.versions.node}, ${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores`;
  if (!json) console.log(`${machine}, rounds: ${rounds}\n`);
  const results = [];
  for (const [index, experiment] of experiments.entries()) {
    if (!rowsOf(experiment).some((row) => rows.includes(row))) continue;
    const result = await settle(index, options);
    results.push(result);
    if (!json) console.log(print(result, rounds));
  }
  if (json) console.log(JSON.stringify({ machine, rounds, judged: rounds >= ROUNDS_TO_JUDGE, results }, null, 2));
  if (check && results.some(({ goals }) => goals.some(({ met }) => !met))) process.exitCode = 1;
}

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2), experiments.flatMap(rowsOf));
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

const options = readOptions();
if (options.help) console.log(usage);
else {
  await main(options).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
