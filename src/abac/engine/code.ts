import type { AccessRequest, Decision } from '../../core/index.ts';
import { isScalar } from '../condition/value.ts';
import { codeWriter } from './code-writer.ts';
import type { Answer } from './decision.ts';
import { formulaOf } from './link.ts';
import type { Predicate } from './predicates.ts';
import type { OrderedRule } from './rules.ts';
import { has } from './step.ts';
import { earlier } from './valid-until.ts';
import { PROBE } from './view.ts';

/** Whether the platform lets text become code; a page or server may forbid it, for good reasons. */
export function canGenerateCode(): boolean {
  try {
    return new Function('return true')() === true;
  } catch {
    return false;
  }
}

type Decide = (request: AccessRequest) => Decision;

/** What the code may call, by the letters that it knows them under. */
const HELPERS = {
  O: Object.prototype,
  G: Object.getPrototypeOf,
  P: PROBE,
  K: isScalar,
  N: Number.isFinite,
  H: has,
  F: earlier,
};

/** The fields that are read without asking whether they are own, after `Object.prototype` was seen to lack them. */
const FIELDS: readonly string[] = [
  ...['subject', 'resource', 'environment', 'action', 'attributes'],
  ...['id', 'roles', 'type', 'time', 'hour', 'ip', 'userAgent'],
];

/**
 * Decides by code that was written for these rules: no call and no loop is left in it but over lists, which makes it
 * several times as fast as anything else. A request that is not made of plain objects is left to `otherwise`.
 */
export function generated(
  rules: readonly OrderedRule[],
  predicates: ReadonlyMap<string, Predicate>,
  answer: Answer,
  otherwise: Decide,
): Decide {
  const { write, constants, names } = codeWriter(predicates);
  const lines = rules.map((rule) => {
    const formula = write(formulaOf(rule));
    return `if(${rule.rule.effect === 'allow' ? formula : `!${formula}`})return A(${rule.place},Q,u);`;
  });
  const read = new Set([...FIELDS, ...names.subject, ...names.resource, ...names.environment]);
  const source = `"use strict";return function(Q){
if(${[...read].map((name) => `${JSON.stringify(name)} in O`).join('||')}||Q==null)return X(Q);
${plain('Q')}const S=Q.subject,R=Q.resource,E=Q.environment;
if(S==null||R==null||E==null)return X(Q);
${holder('s', 'S', names.subject)}${holder('r', 'R', names.resource)}${holder('e', 'E', names.environment)}
let v,u;
${lines.join('\n')}
return A(${rules.length},Q,u)}`;
  const known = { ...HELPERS, C: constants, A: answer, X: otherwise };
  return new Function(...Object.keys(known), source)(...Object.values(known)) as Decide;
}

/**
 * A primitive value has another prototype, too. The compiler knows the prototype of what has just been read from, and
 * no getter is behind the probe.
 */
function plain(variable: string): string {
  return `${variable}[P];{const p=G(${variable});if(p!==O&&p!==null)return X(Q)}`;
}

/** Declares the attributes of a part; they have to be plain only when some are read. */
function holder(variable: string, part: string, names: ReadonlySet<string>): string {
  const declared = `${plain(part)}const ${variable}=${part}.attributes;\n`;
  return names.size === 0 ? declared : `${declared}if(${variable}==null)return X(Q);${plain(variable)}\n`;
}
