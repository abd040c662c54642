import { configInvalid } from '../../core/config-invalid.ts';
import type { Effect } from '../../core/index.ts';
import { deepFreeze, documentOf, listAt, namesAt, recordAt, textAt } from './json.ts';
import { parseCondition } from './parse-condition.ts';
import type { Combining, Policy, PolicyRule } from './policy.ts';

const COMBININGS: readonly Combining[] = ['first-match', 'any-allow', 'deny-overrides'];

/**
 * Checks that a value is a policy, or the JSON text of one, as a file holds it. Nothing is ignored: an unknown key,
 * operator or path is an error, and so is, in a text, a name that stands twice in an object: `JSON.parse` would keep
 * the last.
 *
 * @returns a deeply frozen copy.
 * @throws `CONFIG_INVALID` whose `field` is the JSON path of what is wrong, for example `$.rules[2].when.eq[1]`.
 * @example
 * const documents = parsePolicy(await readFile('documents.policy.json'));
 */
export function parsePolicy(json: unknown): Policy {
  const { name, combining, rules } = recordAt('$', documentOf(json), ['name', 'combining', 'rules']);
  const how = parseCombining(combining);
  const ids = new Set<string>();
  const parsed = listAt('$.rules', rules).map((rule, index) => {
    const at = `$.rules[${index}]`;
    const parsedRule = parseRule(rule, at);
    if (how === 'any-allow' && parsedRule.effect === 'deny') {
      throw configInvalid(`${at}.effect`, 'must be "allow" in a policy that combines by "any-allow"');
    }
    if (ids.has(parsedRule.id)) throw configInvalid(`${at}.id`, 'is the id of an earlier rule');
    ids.add(parsedRule.id);
    return parsedRule;
  });
  return deepFreeze({ name: textAt('$.name', name), combining: how, rules: parsed });
}

function parseCombining(json: unknown): Combining {
  const known = COMBININGS.find((combining) => combining === json);
  if (known === undefined) throw configInvalid('$.combining', `must be one of ${COMBININGS.join(', ')}`);
  return known;
}

/** The keys stand in one order, whatever order the source has: a revision depends on it. */
function parseRule(json: unknown, at: string): PolicyRule {
  const { id, effect, description, resources, actions, when } = recordAt(
    at,
    json,
    ['id', 'effect', 'when'],
    ['description', 'resources', 'actions'],
  );
  return {
    id: textAt(`${at}.id`, id),
    effect: parseEffect(effect, `${at}.effect`),
    ...(description !== undefined && { description: textAt(`${at}.description`, description) }),
    ...(resources !== undefined && { resources: namesAt(`${at}.resources`, resources) }),
    ...(actions !== undefined && { actions: namesAt(`${at}.actions`, actions) }),
    when: when === 'always' ? when : parseCondition(when, `${at}.when`),
  };
}

function parseEffect(json: unknown, at: string): Effect {
  if (json === 'allow' || json === 'deny') return json;
  throw configInvalid(at, 'must be "allow" or "deny"');
}
