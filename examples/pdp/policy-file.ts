import { readFileSync } from 'node:fs';
import { DoorwardError } from 'doorward';
import { createPolicyEngine, type PolicyEngine, parsePolicy } from 'doorward/abac';

/** Reads a policy; what is wrong with it is told with its JSON path. */
export function openPolicy(file: string): PolicyEngine {
  return createPolicyEngine(parsePolicy(readJson(file)));
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DoorwardError('CONFIG_INVALID', { field: file, problem: 'cannot be read', cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DoorwardError('CONFIG_INVALID', { field: file, problem: 'is not JSON', cause });
  }
}
