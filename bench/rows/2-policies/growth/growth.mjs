import { performance } from 'node:perf_hooks';
import { costOfDecision, answers as decisionAnswers } from '../decisions.mjs';
import { pickWith, seededRandom } from '../random.mjs';

export const SIZES = [10, 100, 1_000, 10_000];
const QUESTIONS = 1_000;
/** Who looks at every rule is asked fewer questions of a large policy before the clock starts. */
const LOOKS = 100_000;
const LEVELS = 5;

/** Rule `n` is for department `n` or role `n`, and is about what is of this level. */
export const levelOf = (rule) => rule % LEVELS;

/** About half of the answers are yes. One question in ten is about a department or a role that no rule knows. */
function questionsOf(size) {
  const random = seededRandom(size);
  const pick = pickWith(random);
  const rules = Array.from({ length: size }, (_, rule) => rule);
  return Array.from({ length: QUESTIONS }, () => {
    const rule = random() < 0.1 ? size : pick(rules);
    const level = random() < 0.5 ? levelOf(rule) : LEVELS;
    return { rule, level };
  });
}

const isAllowedOf =
  (size) =>
  ({ rule, level }) =>
    rule < size && level === levelOf(rule);

/** A contestant makes its policy of a size with `load`, which returns what decides a question in the form of `formOf`. */
export async function answers({ load, formOf, isLinear }, input) {
  for (const size of SIZES) {
    const asked = questionsOf(size).slice(0, isLinear ? Math.min(QUESTIONS, LOOKS / size) : QUESTIONS);
    const questions = asked.map((question) => formOf(question, input));
    await decisionAnswers({ questions, decide: await load(size, input) }, asked.map(isAllowedOf(size)));
  }
  return { sizes: SIZES.join() };
}

/** The sizes one after the other in one process, as a server has engines of several sizes. */
export async function measure({ load, formOf }, timing, input) {
  const figures = {};
  for (const size of SIZES) {
    const questions = questionsOf(size).map((question) => formOf(question, input));
    const start = performance.now();
    const decide = await load(size, input);
    figures[`loadMs${size}`] = performance.now() - start;
    figures[`cpuUs${size}`] = (await costOfDecision({ questions, decide }, timing)).cpuUs;
  }
  return figures;
}
