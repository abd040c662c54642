import { configInvalid } from '../../core/config-invalid.ts';
import type { AccessRequest, Decision, RuleTrace } from '../../core/index.ts';
import { ownProperty } from '../../core/own-property.ts';
import { show } from '../condition/value.ts';
import type { PolicyEngine } from '../engine/policy-engine.ts';
import type { AttributePath } from '../policy/policy.ts';

/** What one rule did for one request. `decided` marks the rule that the answer came from. */
export interface ExplainedRule extends RuleTrace {
  readonly description?: string;
  readonly decided: boolean;
}

/** A decision with everything that led to it, as plain data. Every value is a text, as a person would read it. */
export interface Explanation {
  readonly allowed: boolean;
  readonly reason: Decision['reason'];
  readonly subject: string;
  readonly roles: readonly string[];
  readonly action: string;
  /** Type and id of the resource, for example `post:42`. */
  readonly resource: string;
  readonly policy: string;
  readonly revision: string;
  /** Epoch milliseconds; see {@link Decision}. */
  readonly validUntil?: number;
  /** Every rule in order. */
  readonly rules: readonly ExplainedRule[];
}

/**
 * Decides a request and tells of every rule what it made of it, the attribute and the value that decided included.
 * What the engine was told to redact is `***`. The result is JSON as it is; see {@link explainAsText} and
 * {@link explainAsMarkdown}. It is for the owners of a policy, not for callers.
 *
 * @throws `CONFIG_INVALID` when the engine was made with `trace: false`.
 * @example
 * console.log(explainAsText(explain(engine, request), process.stdout));
 */
export function explain(engine: PolicyEngine, request: AccessRequest): Explanation {
  const { policy, revision, redact } = engine;
  const decision = engine.decide(request);
  if (decision.trace === undefined) throw configInvalid('trace', 'must be true for an engine that explains');
  const { allowed, reason, ruleId, validUntil } = decision;
  const { subject, resource } = request;
  const shown = (path: AttributePath, value: unknown): string => (redact.includes(path) ? '***' : show(value));
  const roles = ownProperty(subject, 'roles');
  const descriptions = new Map(policy.rules.map(({ id, description }) => [id, description]));
  const rules = decision.trace().rules.map((rule) => {
    const description = descriptions.get(rule.ruleId);
    return { ...rule, ...(description !== undefined && { description }), decided: rule.ruleId === ruleId };
  });
  const id = ownProperty(resource, 'id');
  const type = shown('resource.type', ownProperty(resource, 'type'));
  return {
    allowed,
    reason,
    subject: shown('subject.id', ownProperty(subject, 'id')),
    roles: Array.isArray(roles) ? Array.from(roles, (role) => shown('subject.roles', role)) : [],
    action: shown('action', ownProperty(request, 'action')),
    resource: id === undefined ? type : `${type}:${shown('resource.id', id)}`,
    policy: policy.name,
    revision,
    ...(validUntil !== undefined && { validUntil }),
    rules,
  };
}
