import { isDoorwardError } from 'doorward';

/** The field that a refused configuration names; `undefined` when it is not refused. */
export function refusedField(make: () => unknown): string | undefined {
  try {
    make();
  } catch (error) {
    if (isDoorwardError(error) && error.code === 'CONFIG_INVALID') return error.field;
    throw error;
  }
  return undefined;
}
