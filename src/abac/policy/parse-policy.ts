import { configInvalid } from '../../core/config-invalid.ts';
import type { Effect } from '../../core/index.ts';
import { policy } from './build.ts';
import { listAt, recordAt, textAt } from './json.ts';
import { parseCondition } from './parse-condition.ts';
import type { Policy, PolicyRule } from './policy.ts';

/**
 * Checks that a value, such as the content of a JSON file, is a policy. Nothing is ignored: an unknown
 * key, operator or path is an error.
 *
 * @returns a deeply frozen copy.
 * @throws `CONFIG_INVALID` whose `field` is the JSON path of what is wrong, for example `$.rules[2].when.eq[1]`.
 * @example
 * const documents = parsePolicy(JSON.parse(await readFile('documents.policy.json', 'utf8')));
 */
export function parsePolicy(json: unknown): Policy {
  const { name, combining, rules } = recordAt('$', json, ['name', 'combining', 'rules']);
  if (combining !== 'first-match') throw configInvalid('$.combining', 'must be "first-match"');
  const ids = new Set<string>();
  const parsed = listAt('$.rules', rules).map((rule, index) => parseRule(rule, `$.rules[${index}]`, ids));
  return deepFreeze(policy(textAt('$.name', name), parsed));
}

function parseRule(json: unknown, at: string, ids: Set<string>): PolicyRule {
  const { id, effect, description, when } = recordAt(at, json, ['id', 'effect', 'when'], ['description']);
  const ruleId = textAt(`${at}.id`, id);
  if (ids.has(ruleId)) throw configInvalid(`${at}.id`, 'is the id of an earlier rule');
  ids.add(ruleId);
  return {
    id: ruleId,
    effect: parseEffect(effect, `${at}.effect`),
    ...(description !== undefined && { description: textAt(`${at}.description`, description) }),
    when: parseCondition(when, `${at}.when`),
  };
}

function parseEffect(json: unknown, at: string): Effect {
  if (json === 'allow' || json === 'deny') return json;
  throw configInvalid(at, 'must be "allow" or "deny"');
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
