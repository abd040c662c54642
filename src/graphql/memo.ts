import { type Decision, type Environment, isPromise, type MaybePromise, type Principal } from '../core/index.ts';
import type { Rule } from './rule.ts';

/** What is known about one principal object. */
export interface Memo {
  /** Whole rules, as they were enforced. */
  readonly enforced: Map<Rule, MaybePromise<Decision>>;
  /** Parts of rules. */
  readonly parts: Map<Rule, MaybePromise<Decision>>;
  environment?: Environment;
  /** The demands on the login that the caller was told of. */
  told?: Set<Rule>;
}

/** Decisions by principal object; a principal object lives as long as one request or event. */
export interface Memos {
  of(principal: Principal): Memo;
  forget(principal: Principal): void;
}

export function createMemos(): Memos {
  const memos = new WeakMap<Principal, Memo>();
  return {
    of(principal) {
      let memo = memos.get(principal);
      if (memo === undefined) {
        memo = { enforced: new Map(), parts: new Map() };
        memos.set(principal, memo);
      }
      return memo;
    },
    forget: (principal) => void memos.delete(principal),
  };
}

/** Decides a rule once; a promise is remembered too, and replaced by what it resolves to. */
export function once(
  answers: Map<Rule, MaybePromise<Decision>>,
  rule: Rule,
  decide: () => MaybePromise<Decision>,
): MaybePromise<Decision> {
  const known = answers.get(rule);
  if (known !== undefined) return known;
  const answer = decide();
  const kept = isPromise(answer)
    ? answer.then((decision) => {
        answers.set(rule, decision);
        return decision;
      })
    : answer;
  answers.set(rule, kept);
  return kept;
}
