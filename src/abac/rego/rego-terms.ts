import { configInvalid } from '../../core/config-invalid.ts';
import { quoted } from '../condition/printable.ts';
import type { AttributePath } from '../policy/policy.ts';
import type { RegoInput } from './rego-input.ts';
import type { RegoTerms } from './rego-leaf.ts';

const QUOTED = '"(?:[ !#-[\\]-~]|\\\\["\\\\])*"';
const REFERENCE = `[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*|\\[${QUOTED}\\])*`;
const TERM = new RegExp(`^(?:[A-Za-z_]\\w*\\(${REFERENCE}\\)|${REFERENCE})$`);

/** The terms of a module, and the rules that they need. */
export interface TermsOfModule extends RegoTerms {
  readonly rules: () => Iterable<string>;
}

/** Writes the values of a request; a rule that a term needs is written once. */
export function termsOf(input: RegoInput): TermsOfModule {
  const hours = new Map<string, string>();
  const presences = new Map<string, string>();
  const rules: string[] = [];

  const named = (names: Map<string, string>, key: string, kind: string, rule: (name: string) => string): string => {
    const name = names.get(key) ?? `${kind}_${names.size + 1}`;
    if (!names.has(key)) rules.push(rule(name));
    names.set(key, name);
    return name;
  };
  const of: RegoTerms['of'] = ({ attr, timeZone }) =>
    timeZone === undefined
      ? termAt(input, attr)
      : named(hours, timeZone, 'hour', (name) => hourRule(name, timeZone, termAt(input, 'environment.time')));
  return {
    of,
    presence: (attribute) => {
      const term = of(attribute);
      return named(presences, term, 'present', (name) => `${name} if is_present(${term})`);
    },
    rules: () => rules,
  };
}

/** A term is no place for anything else: it stands before and behind operators, and in calls. */
function termAt(input: RegoInput, path: AttributePath): string {
  const term = input.term(path);
  if (typeof term === 'string' && TERM.test(term)) return term;
  throw configInvalid('input', `must give a Rego term for ${path}, such as input.user.id`);
}

function hourRule(name: string, timeZone: string, time: string): string {
  return `# The hour of the time in that zone, from 1970 on. OPA counts nanoseconds in 64 bits.
${name} := time.clock([floor(${time}) * 1000000, ${quoted(timeZone)}])[0] if {
	is_number(${time})
	${time} >= 0
	${time} < 9223372036855
}`;
}
