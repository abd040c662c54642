import { styleText } from 'node:util';
import { printable } from '../condition/printable.ts';
import type { ExplainedRule, Explanation } from './explanation.ts';

/** Where a text goes: `process.stdout`, or whatever tells whether it shows colours. */
export interface TextTarget {
  hasColors?(): boolean;
}

type Style = Parameters<typeof styleText>[0];

/**
 * Writes an explanation for a terminal or a log: the answer, then a line for each rule. Colours are used only when
 * the target is a terminal that shows them.
 *
 * @param target - where the text will be written; without it there are no colours
 * @example
 * console.log(explainAsText(explain(engine, request), process.stdout));
 */
export function explainAsText(explanation: Explanation, target: TextTarget = {}): string {
  const inColour = target.hasColors?.() === true;
  const styled = (style: Style, text: string): string =>
    inColour ? styleText(style, text, { validateStream: false }) : text;
  const { allowed, action, resource, subject, roles, policy, revision, rules } = explanation;
  const width = rules.reduce((widest, { ruleId }) => Math.max(widest, printable(ruleId).length), 0);
  const verdict = styled(['bold', allowed ? 'green' : 'red'], allowed ? 'ALLOW' : 'DENY');
  const line = (rule: ExplainedRule): string => {
    const { ruleId, effect, outcome, detail = '' } = rule;
    const name = printable(ruleId).padEnd(width);
    const text = `${mark(rule)} ${name}  ${effect.padEnd(5)}  ${WORDS[outcome].padEnd(8)}  ${printable(detail)}`;
    return `  ${styled(rule.decided ? 'bold' : 'dim', text.trimEnd())}`;
  };
  return [
    `${verdict}  ${printable(`${action} ${resource} by ${subject} (${roles.length === 0 ? 'no roles' : roles.join(', ')})`)}`,
    ...rules.map(line),
    `  = ${printable(outcomeOf(explanation))}`,
    styled('dim', printable(`  policy ${policy}, revision ${revision}`)),
  ].join('\n');
}

/** The words that people read for an outcome. */
export const WORDS: Readonly<Record<ExplainedRule['outcome'], string>> = {
  match: 'match',
  no_match: 'no match',
  unknown: 'unknown',
};

/** Which rule decided, or that none did. */
export function outcomeOf({ allowed, rules }: Explanation): string {
  const decided = rules.find((rule) => rule.decided);
  const answer = allowed ? 'allow' : 'deny';
  return decided === undefined ? `no rule fired -> ${answer}` : `${decided.ruleId} -> ${answer}`;
}

function mark({ decided }: ExplainedRule): string {
  return decided ? '>' : '-';
}
