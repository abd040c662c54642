import { emitWarning } from 'node:process';

const SHOWN = 50;

/** The process warning of a schema with fields that no rule reaches. */
export function warnOfUnprotected(coordinates: readonly string[], fate: 'open' | 'closed'): void {
  const shown = coordinates.slice(0, SHOWN).join(', ');
  const more = coordinates.length > SHOWN ? ` and ${coordinates.length - SHOWN} more` : '';
  const fields = coordinates.length === 1 ? 'A GraphQL field has' : `${coordinates.length} GraphQL fields have`;
  emitWarning(`${fields} neither a rule nor @public (${fate} to everybody): ${shown}${more}`, {
    type: 'DoorwardWarning',
    code: 'DOORWARD_UNPROTECTED',
  });
}
