import type { Application, AuthDenial, AuthResource } from '../rules/rule-arguments.ts';

/** How a rule that was written in one place comes to hold in another. */
export type RuleVia =
  | 'FIELD'
  | 'TYPE'
  | 'INTERFACE'
  | 'INTERFACE_FIELD'
  | 'RETURN_TYPE'
  | 'ARGUMENT'
  | 'INTERFACE_ARGUMENT'
  | 'INPUT_FIELD'
  | 'INPUT_TYPE'
  | 'VALUE_TYPE';

/** One rule that holds in a place, and where it was written. */
export interface RuleSource {
  /** The rule in words. */
  readonly rule: string;
  /** Where it was written. */
  readonly coordinate: string;
  readonly via: RuleVia;
  /** The line in its SDL document; without one the rule was written in code. */
  readonly line?: number;
  /** What it looks at, if it looks at more than the principal. */
  readonly from?: AuthResource;
  readonly onDeny: AuthDenial;
}

/**
 * Tells of an application what holds in the place that it reaches.
 *
 * @param from - what its rule looks at there, if it looks at more than the principal
 */
export function ruleSource(
  { coordinate, node, rule, stepUp, onDeny = 'ERROR' }: Application,
  via: RuleVia,
  from?: AuthResource,
): RuleSource {
  const line = node?.loc?.startToken.line;
  const login = stepUp === undefined ? [] : [`login(${JSON.stringify(stepUp)})`];
  const texts = rule.kind === 'authenticated' && login.length > 0 ? login : [rule.text, ...login];
  return {
    rule: texts.length > 1 ? `all(${texts.join(', ')})` : texts.join(),
    coordinate,
    via,
    ...(line !== undefined && { line }),
    ...(from !== undefined && !rule.principalOnly && { from }),
    onDeny,
  };
}
