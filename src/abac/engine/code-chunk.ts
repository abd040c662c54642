import { isScalar } from '../condition/value.ts';
import { ruleWriter, type Written } from './code-writer.ts';
import type { CompiledRule } from './compiled-rule.ts';
import type { Facts } from './facts.ts';
import { search } from './leaf.ts';
import type { Test } from './outcome.ts';
import { isPlain, own } from './own-reader.ts';
import type { RuleChunk } from './rule-chunk.ts';

/** What generated code may call, by the letters that it knows them under. */
const HELPERS: readonly unknown[] = [Object.prototype, own, isScalar, Number.isFinite, search, isPlain];
const PARAMETERS: readonly string[] = ['O', 'W', 'K', 'N', 'S', 'P', 'C'];

/** Whether the platform lets text become code; a page or server may forbid it, for good reasons. */
export function canGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

/**
 * Asks rules by code that was written for them: no call and no loop is left in it, which makes it several times as
 * fast as closures. It is written when the rules are asked first, so that branches nobody visits cost nothing.
 */
export function codeChunk(rules: readonly CompiledRule[], predicates: ReadonlyMap<string, Test>): RuleChunk {
  let outcomes: RuleChunk['outcomes'] | undefined;
  let first: RuleChunk['first'] | undefined;
  return {
    outcomes: (facts) => {
      outcomes ??= generated(rules, predicates, outcomesBody) as RuleChunk['outcomes'];
      return outcomes(facts);
    },
    first: (facts) => {
      first ??= generated(rules, predicates, firstBody) as RuleChunk['first'];
      return first(facts);
    },
  };
}

type Body = (rules: readonly { readonly written: Written; readonly denies: boolean }[]) => string;

function generated(
  rules: readonly CompiledRule[],
  predicates: ReadonlyMap<string, Test>,
  body: Body,
): (facts: Facts) => unknown {
  const constants: unknown[] = [];
  const write = ruleWriter(constants, predicates);
  const source = body(rules.map(({ node, rule }) => ({ written: write(node), denies: rule.effect === 'deny' })));
  return new Function(...PARAMETERS, `"use strict";return function(f){${source}}`)(...HELPERS, constants);
}

const outcomesBody: Body = (rules) => {
  const lines = rules.map(({ written: { declarations, isTrue, isFalse } }, i) => {
    const bit = String(1 << i);
    return `${declarations}if(${isTrue})m|=${bit};else if(!(${isFalse}))u|=${bit};`;
  });
  return `let m=0,u=0;${lines.join('\n')}\nreturn [m,u];`;
};

const firstBody: Body = (rules) => {
  const lines = rules.map(({ written: { declarations, isTrue, isFalse }, denies }, i) => {
    const fires = denies ? `!(${isFalse})` : isTrue;
    return `${declarations}if(${fires})return ${i};`;
  });
  return `${lines.join('\n')}\nreturn -1;`;
};
