import { ROUNDS_TO_JUDGE } from './options.mjs';

const short = (value) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
const spread = ({ p10, p90 }) => `(${short(p10)}..${short(p90)})`;

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ');
  return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}

function figuresTable({ figures, contestants }) {
  const header = ['', ...Object.values(figures)];
  const body = Object.entries(contestants).map(([name, summaries]) => [
    name,
    ...Object.keys(figures).map((figure) => {
      const summary = summaries[figure];
      return summary === undefined ? '-' : `${short(summary.median)} ${spread(summary)}`;
    }),
  ]);
  return table([header, ...body]);
}

function stretchOf({ stretch, reached }, rounds) {
  if (stretch === undefined) return '';
  return `stretch ${stretch}${rounds < ROUNDS_TO_JUDGE ? '' : reached ? ': reached' : ': not reached'}`;
}

function verdictLine(goal, rounds) {
  const { row, figure, over, numerator, denominator, ratio, atLeast, atMost, met } = goal;
  const must = atLeast === undefined ? `must be at most ${atMost}` : `must be at least ${atLeast}`;
  const verdict = rounds < ROUNDS_TO_JUDGE ? 'not judged' : met ? 'met' : 'MISSED';
  const quotient = over === undefined ? [`${numerator} / ${denominator}`, figure] : [numerator, `${figure} / ${over}`];
  return [row, ...quotient, `${short(ratio.median)} ${spread(ratio)}`, must, verdict, stretchOf(goal, rounds)];
}

/** One experiment as text: median (p10..p90) of the rounds, then the paired ratios. */
export function print(result, rounds) {
  const nulls = result.nullPair.map(({ figure, numerator, denominator, ratio }) => [
    'null',
    `${numerator} / ${denominator}`,
    figure,
    `${short(ratio.median)} ${spread(ratio)}`,
    'would be 1 without noise',
    '',
    '',
  ]);
  const verdicts = result.goals.map((goal) => verdictLine(goal, rounds));
  return [result.title, figuresTable(result), '', table([...nulls, ...verdicts]), ''].join('\n');
}
