import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { isFalse, isTrue } from '../condition/formula.ts';
import { lowerRule } from '../condition/lower.ts';
import { quoted } from '../condition/printable.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import type { Policy, PolicyRule } from '../policy/policy.ts';
import { revisionOf } from '../policy/revision.ts';
import { type RegoInput, requestInput } from './rego-input.ts';
import { rulesOf } from './rego-rules.ts';
import { termsOf } from './rego-terms.ts';
import { isRegoName } from './rego-text.ts';

export interface RegoOptions {
  /** The name of the package, parts of it joined by dots. @default 'authz' */
  readonly package?: string;
  /** Where the module finds what the policy reads. @default the request as JSON */
  readonly input?: RegoInput;
}

const HELPERS: readonly (readonly [name: string, rules: string])[] = [
  ['not_empty', `not_empty(value) if {\n\tknown(value)\n\tvalue != ""\n}`],
  [
    'are_ordered',
    `are_ordered(left, right) if {
	is_number(left)
	is_number(right)
}

are_ordered(left, right) if {
	is_string(left)
	is_string(right)
	not "" in {left, right}
}`,
  ],
  ['is_present', 'is_present(value) if known(value)\n\nis_present(value) if is_array(value)'],
  [
    'known',
    `# What cannot be compared is unknown.
known(value) if is_string(value)

known(value) if is_number(value)

known(value) if is_boolean(value)`,
  ],
];

/**
 * Writes a policy as a module for OPA 1.x that gives the same answer to every request: `allow` is a boolean,
 * `decision` says which rule decided. The request is expected as `input`. The texts of a request have to be
 * well-formed Unicode and its numbers doubles, as I-JSON (RFC 7493) has it; then nothing else is decided otherwise.
 *
 * @throws `CONFIG_INVALID` when the policy or an option is not valid, and for a policy with a predicate, which
 * Rego cannot ask.
 * @example
 * await writeFile('authz.rego', toRego(contractPolicy));
 */
export function toRego(policy: Policy, options: RegoOptions = {}): string {
  refuseUnknownOptions(options, ['package', 'input']);
  const { package: name = 'authz', input = requestInput } = options;
  if (typeof name !== 'string' || !name.split('.').every(isRegoName)) {
    throw configInvalid('package', 'must be names of letters, digits and "_", joined by dots');
  }
  if (typeof input?.term !== 'function' || typeof (input.rules ?? '') !== 'string') {
    throw configInvalid('input', 'must have a function "term", and may have a text "rules"');
  }
  const parsed = parsePolicy(policy);
  const terms = termsOf(input);
  const nameOf = new Map(parsed.rules.map((rule, index) => [rule, `rule_${index + 1}_${outcomeThatCounts(rule)}`]));
  const rules = Array.from(nameOf, ([rule, ruleName]) => {
    const node = lowerRule(rule);
    return rulesOf(ruleName, rule.id, rule.effect === 'allow' ? isTrue(node) : isFalse(node), terms);
  }).flat();
  const own = input.rules === undefined ? [] : [input.rules];
  const body = [decisionOf(parsed, nameOf), ...rules, ...terms.rules(), ...own];
  return [headOf(parsed, name), ...body, ...helpersFor(body.join('\n'))].join('\n\n').concat('\n');
}

/** An allow rule fires when it is known to be true, a deny rule unless it is known to be false. */
function outcomeThatCounts({ effect }: PolicyRule): string {
  return effect === 'allow' ? 'true' : 'false';
}

function headOf(policy: Policy, name: string): string {
  return `# Policy ${quoted(policy.name)}, revision ${revisionOf(policy)}, ${policy.combining}.
# Written by Doorward from the policy: change that, and not this.
package ${name}

default allow := false

allow if decision.allowed`;
}

/** The rules in the order in which they may decide. */
function decisionOf({ combining, rules }: Policy, nameOf: ReadonlyMap<PolicyRule, string>): string {
  const denials = combining === 'deny-overrides' ? rules.filter(({ effect }) => effect === 'deny') : [];
  const others = rules.filter((rule) => !denials.includes(rule));
  const branches = [...denials, ...others].map((rule, index) => {
    const { id, effect, description = '' } = rule;
    const allowed = effect === 'allow';
    const comment = `# ${effect} ${quoted(id)}${description && `: ${quoted(description).slice(1, -1)}`}`;
    const value = `{"allowed": ${allowed}, "rule": ${quoted(id)}}`;
    const head = index === 0 ? 'decision' : 'else';
    return `${comment}\n${head} := ${value} if ${allowed ? '' : 'not '}${nameOf.get(rule)}`;
  });
  return ['default decision := {"allowed": false, "rule": null}', ...branches].join('\n\n');
}

function helpersFor(text: string): readonly string[] {
  return HELPERS.filter(([name], index) => {
    const users = [text, ...HELPERS.slice(0, index).map(([, rules]) => rules)];
    return users.some((user) => user.includes(`${name}(`));
  }).map(([, rules]) => rules);
}
