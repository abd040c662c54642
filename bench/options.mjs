import { parseArgs } from 'node:util';

/** A cost or a tail of fewer rounds says more about the machine than about the contestants. */
export const ROUNDS_TO_JUDGE = 7;

export const usage = `node bench/run.mjs [--only 3a,4a] [--rounds ${ROUNDS_TO_JUDGE}] [--quick] [--json] [--check]

  --only    the rows to settle, all by default
  --rounds  how often every contestant runs, ${ROUNDS_TO_JUDGE} by default
  --quick   one short round: answers are compared, figures mean nothing
  --json    print one JSON document instead of text
  --check   exit 1 when a goal is missed; needs at least ${ROUNDS_TO_JUDGE} rounds`;

/**
 * @param {readonly string[]} argv
 * @param {readonly string[]} knownRows
 * @throws {RangeError} when an option makes no sense
 */
export function parseOptions(argv, knownRows) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const rows = values.only?.split(',') ?? knownRows;
  const unknown = rows.filter((row) => !knownRows.includes(row));
  if (unknown.length > 0) throw new RangeError(`no row ${unknown.join(', ')}; there are ${knownRows.join(', ')}`);

  if (values.quick && values.rounds !== undefined) throw new RangeError('--quick is one round');
  const rounds = values.quick ? 1 : Number(values.rounds ?? ROUNDS_TO_JUDGE);
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a whole number from 1');
  if (values.check && rounds < ROUNDS_TO_JUDGE) throw new RangeError(`--check needs ${ROUNDS_TO_JUDGE} rounds`);
  const { quick, json, check, help } = values;
  return { rows, rounds, quick, json, check, help };
}
