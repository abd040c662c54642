import { readFileSync } from 'node:fs';
import { DoorwardError } from 'doorward';
import { createPolicyEngine, type PolicyEngine, parsePolicy } from 'doorward/abac';

/** Reads a policy; what is wrong with it is told with its JSON path. */
export function openPolicy(file: string): PolicyEngine {
  return createPolicyEngine(parsePolicy(contentOf(file)));
}

function contentOf(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new DoorwardError('CONFIG_INVALID', { field: file, problem: 'cannot be read', cause });
  }
}
