import type { DirectiveNode } from 'graphql';
import { configInvalid } from '../../core/config-invalid.ts';
import type { DoorwardError } from '../../core/index.ts';

/** Makes the error for a mistake in the SDL, with the coordinate and, where it is known, the line. */
export function configError(coordinate: string, problem: string, node?: DirectiveNode): DoorwardError {
  const line = node?.loc?.startToken.line;
  return configInvalid(coordinate, line === undefined ? problem : `${problem} (SDL line ${line})`);
}
