import { configInvalid, refuseUnknownOptions } from '../../core/config-invalid.ts';
import { isAttributePath } from '../condition/attribute.ts';
import type { AttributePath } from '../policy/policy.ts';
import type { Predicates } from './predicates.ts';

export interface PolicyEngineOptions {
  /**
   * Compiles the policy into generated code (`new Function`), which decides several times as fast. Closures decide
   * where the platform forbids that, and where a policy has so many rules that they are looked up. @default false
   */
  readonly generateCode?: boolean;
  /** Whether decisions can say what every rule makes of the request, as it is when they are asked. @default true */
  readonly trace?: boolean;
  /** Attributes whose values a trace shows as `***`. @default none */
  readonly redact?: readonly AttributePath[];
  /** The functions that `predicate` conditions name. A throw, a promise and an answer that is no boolean is unknown. */
  readonly predicates?: Predicates;
}

const OPTIONS: readonly (keyof PolicyEngineOptions)[] = ['generateCode', 'trace', 'redact', 'predicates'];

/** @throws `CONFIG_INVALID` */
export function checkedOptions(options: PolicyEngineOptions): PolicyEngineOptions & {
  readonly generateCode: boolean;
  readonly trace: boolean;
  readonly redact: readonly AttributePath[];
} {
  refuseUnknownOptions(options, OPTIONS);
  const { generateCode = false, trace = true, redact = [] } = options;
  if (typeof generateCode !== 'boolean') throw configInvalid('generateCode', 'must be a boolean');
  if (typeof trace !== 'boolean') throw configInvalid('trace', 'must be a boolean');
  if (!Array.isArray(redact) || !redact.every((path) => typeof path === 'string' && isAttributePath(path)))
    throw configInvalid('redact', 'must be a list of attribute paths');
  return { ...options, generateCode, trace, redact };
}
