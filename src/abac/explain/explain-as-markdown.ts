import { printable } from '../condition/printable.ts';
import { outcomeOf, WORDS } from './explain-as-text.ts';
import type { Explanation } from './explanation.ts';

/**
 * Writes an explanation as Markdown, for example for a comment on a change: the answer, then a table of the rules.
 *
 * @example
 * await writeFile('decision.md', explainAsMarkdown(explain(engine, request)));
 */
export function explainAsMarkdown(explanation: Explanation): string {
  const { allowed, action, resource, subject, roles, policy, revision, rules } = explanation;
  const who = `${code(subject)} (${roles.length === 0 ? 'no roles' : roles.map(code).join(', ')})`;
  const rows = rules.map(({ ruleId, effect, outcome, detail, description, decided }) => {
    const name = decided ? `**${code(ruleId)}**` : code(ruleId);
    return `| ${[name, effect, WORDS[outcome], code(detail), code(description)].join(' | ')} |`;
  });
  return [
    `**${allowed ? 'ALLOW' : 'DENY'}** ${code(action)} ${code(resource)} by ${who}: ${code(outcomeOf(explanation))}`,
    '',
    '| Rule | Effect | Outcome | Because | Description |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `Policy ${code(policy)}, revision ${code(revision)}.`,
    '',
  ].join('\n');
}

/**
 * A code span: values come from requests, and nothing in them may become markup, a link or another cell of the
 * table. The fence is longer than any run of backticks inside. `|` has no spelling in a cell that every renderer
 * reads alike, so it is shown broken.
 */
function code(text: string | undefined): string {
  if (text === undefined || text.trim() === '') return '';
  const line = printable(text.replaceAll(/\s+/g, ' ').trim()).replaceAll('|', '\u00a6');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}
