import { isDoorwardError } from '../core/index.ts';
import { type ErrorResponseOptions, errorResponse } from './responses.ts';

/** Answers a 401 in the route's own form, and leaves every other error to the router. */
export async function answering401(options: ErrorResponseOptions, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (isDoorwardError(error) && error.status === 401) return errorResponse(error, options);
    throw error;
  }
}
