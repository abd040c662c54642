import { configInvalid } from '../../core/config-invalid.ts';
import type { Formula } from '../condition/formula.ts';
import { quoted } from '../condition/printable.ts';
import { leafLines, type RegoTerms } from './rego-leaf.ts';

/**
 * Writes the rules that make a name true when the formula holds. Alternatives become rules of one name;
 * alternatives within a rule become rules of another.
 *
 * @throws `CONFIG_INVALID` when the formula asks a predicate.
 */
export function rulesOf(name: string, ruleId: string, formula: Formula, terms: RegoTerms): readonly string[] {
  const written: string[] = [];
  let parts = 0;

  const define = (head: string, defined: Formula): void => {
    const alternatives = defined.kind === 'any' ? defined.formulas : [defined];
    const bodies = alternatives.map((alternative) => bodyOf(head, ruleId, linesOf(alternative)));
    written.push(...(bodies.length === 0 ? [bodyOf(head, ruleId, ['false'])] : bodies));
  };
  const linesOf = (part: Formula): readonly string[] => {
    if (part.kind === 'leaf') {
      const { leaf, outcome } = part;
      if (leaf.kind === 'predicate') throw refused(ruleId, leaf.name);
      return leafLines(leaf, outcome, terms);
    }
    if (part.kind === 'all') return part.formulas.flatMap(linesOf);
    parts++;
    const helper = `${name}_part_${parts}`;
    define(helper, part);
    return [helper];
  };
  define(name, formula);
  return written;
}

function bodyOf(head: string, ruleId: string, lines: readonly string[]): string {
  const unique = [...new Set(lines)];
  const comment = `# ${quoted(ruleId)}`;
  if (unique.length === 0) return `${head} := true ${comment}`;
  if (unique[0] === 'false') return `${head} if false ${comment}`;
  return `${head} if { ${comment}\n${unique.map((line) => `\t${line}`).join('\n')}\n}`;
}

function refused(ruleId: string, predicate: string): Error {
  const problem = `rule ${JSON.stringify(ruleId)} asks the predicate ${JSON.stringify(predicate)}`;
  return configInvalid('policy', `cannot be said in Rego: ${problem}`);
}
