import { type Decision, type Environment, isPromise, type MaybePromise, type Principal } from '../../core/index.ts';
import type { Rule } from '../rules/rule.ts';
import { type ByResource, createByResource, type Decided } from './resource-memo.ts';

/** What is known about one principal object. */
export interface Memo {
  /** Whole rules, as they were enforced. */
  readonly enforced: Decided;
  /** Parts of rules. */
  readonly parts: Decided;
  /** Policies that a decision point answers, by what they are about. */
  readonly resources: ByResource;
  environment?: Environment;
  /** The demands on the login that the caller was told of. */
  told?: Set<Rule>;
}

/** A look-up already made; without a principal, none. */
export interface Latest {
  principal: Principal | undefined;
  memo: Memo | undefined;
}

/** Decisions by principal object; a principal object lives as long as one request or event. */
export interface Memos {
  of(principal: Principal): Memo;
  /** The principal that was asked for last and its memo, for who asks for the same one thousands of times. */
  readonly latest: Latest;
  forget(principal: Principal): void;
}

export function createMemos(): Memos {
  const memos = new WeakMap<Principal, Memo>();
  const latest: Latest = { principal: undefined, memo: undefined };

  function remembered(principal: Principal): Memo {
    let memo = memos.get(principal);
    if (memo === undefined) {
      memo = { enforced: [], parts: [], resources: createByResource() };
      memos.set(principal, memo);
    }
    latest.principal = principal;
    latest.memo = memo;
    return memo;
  }

  return {
    latest,
    of: (principal) =>
      principal === latest.principal && latest.memo !== undefined ? latest.memo : remembered(principal),
    forget(principal) {
      memos.delete(principal);
      if (principal === latest.principal) {
        latest.principal = undefined;
        latest.memo = undefined;
      }
    },
  };
}

/** Decides a rule once; a promise is remembered too, and replaced by what it resolves to. */
export function once(answers: Decided, { index }: Rule, decide: () => MaybePromise<Decision>): MaybePromise<Decision> {
  const known = answers[index];
  if (known !== undefined) return known;
  const answer = decide();
  const kept = isPromise(answer)
    ? answer.then((decision) => {
        answers[index] = decision;
        return decision;
      })
    : answer;
  answers[index] = kept;
  return kept;
}
