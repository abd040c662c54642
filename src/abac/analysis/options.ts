import { refuseUnknownOptions, requireWholeNumber } from '../../core/config-invalid.ts';
import type { Budget } from './search.ts';

export interface AnalysisOptions {
  /**
   * How many values are tried before the analysis answers that it is not exhaustive. A value that has to be put into
   * many comparisons counts as one for every ten of them. @default 1_000_000
   */
  readonly limit?: number;
}

/** @throws `CONFIG_INVALID` for an option that cannot be meant. */
export function budgetOf(options: AnalysisOptions): Budget {
  refuseUnknownOptions(options, ['limit']);
  return { left: requireWholeNumber('limit', options.limit ?? 1_000_000, 1, Number.MAX_SAFE_INTEGER) };
}
