import { measureCost } from '../../cost.mjs';

/** So many decisions of a contestant that takes a millisecond for each are one operation; of a fast one, all. */
const OPERATION_MS = 1;

/** Every contestant has its questions in its own form before the clock starts, and a `decide` that takes one. */
export async function answers({ questions, decide }, expected) {
  const decisions = [];
  for (const question of questions) decisions.push(await decide(question));
  const wrong = decisions.findIndex((allowed, index) => allowed !== expected[index]);
  if (decisions.length !== expected.length)
    throw new Error(`${decisions.length} answers to ${expected.length} questions`);
  if (wrong !== -1) throw new Error(`answers ${decisions[wrong]} to question ${wrong}, must be ${expected[wrong]}`);
  return { allowed: expected.filter(Boolean).length, asked: expected.length };
}

async function sizeOfOperation({ questions, decide }) {
  const start = performance.now();
  let asked = 0;
  while (asked < questions.length && performance.now() - start < OPERATION_MS) await decide(questions[asked++]);
  return asked;
}

/** The cost of one decision, over the questions in turn. */
export async function costOfDecision(contestant, timing) {
  const { questions, decide, isAsync } = contestant;
  const size = await sizeOfOperation(contestant);
  let next = 0;
  let allowed = 0;
  const decideSome = () => {
    for (let asked = 0; asked < size; asked++) {
      if (decide(questions[next])) allowed++;
      if (++next === questions.length) next = 0;
    }
  };
  const awaitSome = async () => {
    for (let asked = 0; asked < size; asked++) {
      if (await decide(questions[next])) allowed++;
      if (++next === questions.length) next = 0;
    }
  };
  const { cpuMs, wallMs } = await measureCost(isAsync ? awaitSome : decideSome, timing);
  if (allowed === 0) throw new Error('nothing was allowed');
  return { cpuUs: (cpuMs * 1_000) / size, wallUs: (wallMs * 1_000) / size };
}
