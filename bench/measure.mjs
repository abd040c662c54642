/**
 * The process of one contestant. Answers first; then, when it is given a `timing`, measures.
 * Its argument is JSON: `{ experiment, contestant, timing }`, `experiment` being an index.
 */
import { experiments } from './experiments.mjs';

const { experiment: index, contestant: name, timing } = JSON.parse(process.argv[2]);
const { folder, input, answers, measure } = experiments[index];
const { prepare } = await import(new URL(`${name}.mjs`, folder));

const contestant = await prepare(input);
const report = { answers: await answers(contestant, input) };
if (timing !== undefined) report.figures = await measure(contestant, timing, input);
await contestant.close?.();
process.send(report, () => process.disconnect());
