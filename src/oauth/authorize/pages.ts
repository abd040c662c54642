import { withDeadline } from '../../core/index.ts';
import type { RequestInfo } from '../../http/index.ts';
import { report } from '../answers.ts';
import type { PageView } from '../pages/page.ts';
import { pageResponse, plainPage } from '../pages/page-response.ts';
import type { Settings } from '../settings.ts';
import { withCookies } from './cookies.ts';

/** How a page is answered. */
export interface PageAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the form of the page may lead to beside this server. */
  readonly formTargets?: readonly string[];
  readonly cookies?: readonly string[];
}

/** Answers with pages. */
export interface Pages {
  /** @throws what the function of the pages throws, and an `Error` when it is late. */
  show(view: PageView, answer: PageAnswer): Promise<Response>;
  /** Nobody is redirected and no cookie is set; when even this page cannot be made, the answer is plain text. */
  refuse(status: number, message: string, info: RequestInfo): Promise<Response>;
}

export function createPages({ page, storeTimeoutMs, onError }: Settings): Pages {
  async function show(view: PageView, { cookies = [], formTargets = [], ...answer }: PageAnswer): Promise<Response> {
    const made = Promise.resolve(page(view));
    const late = (): Error => new Error(`the page was not made within ${storeTimeoutMs} ms`);
    return withCookies(
      pageResponse(await withDeadline(made, storeTimeoutMs, late), { ...answer, formTargets }),
      cookies,
    );
  }

  return {
    show,
    async refuse(status, message, info) {
      try {
        return await show({ kind: 'error', status, message }, { status });
      } catch (error) {
        report(error, info, onError);
        return plainPage(status, message);
      }
    },
  };
}

/**
 * Where a form leads to that is redirected to a redirect URI: an origin, or the scheme of an application of its own. A
 * content security policy has no way to write an IPv6 address; all that can be said of one is its scheme.
 */
export function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri);
  const hasName = (protocol === 'https:' || protocol === 'http:') && !hostname.startsWith('[');
  return hasName ? origin : protocol;
}
