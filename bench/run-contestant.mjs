import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageFrom } from './message-from.mjs';

const measureFile = fileURLToPath(new URL('measure.mjs', import.meta.url));
/** As servers run: graphql leaves out checks that it makes for developers. */
const options = { timeout: 120_000, env: { ...process.env, NODE_ENV: 'production' } };

/**
 * Runs one contestant in a new process, so that no contestant meets the compiled code and the garbage of another.
 * @param {readonly string[]} [nodeOptions] what this contestant needs Node to be started with
 * @returns what it answered and, with a `timing`, its figures
 */
export async function runContestant(assignment, nodeOptions = []) {
  const execArgv = [...process.execArgv, ...nodeOptions];
  const child = fork(measureFile, [JSON.stringify(assignment)], { ...options, execArgv });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const report = await messageFrom(child).catch(() => undefined);
  const code = await ended;
  if (report === undefined || code !== 0) throw new Error(`the contestant ${assignment.contestant} failed`);
  return report;
}
