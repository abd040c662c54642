import { randomBytes } from 'node:crypto';
import type { PublicAccount, SessionRecord } from '../../accounts/index.ts';
import type { RequestInfo } from '../../http/index.ts';
import type { Settings } from '../settings.ts';
import { cookie, cookieName, readCookie } from './cookies.ts';

/** A login at this server that is good now. */
export interface BrowserLogin {
  readonly session: SessionRecord;
  readonly account: PublicAccount;
  /** Epoch milliseconds, taken before the login was looked up: what ended all logins after this, ended this one. */
  readonly knownAt: number;
}

/** What is known of the browser that asks. */
export interface Browser {
  /** Binds forms to this browser. */
  readonly id: string;
  readonly login: BrowserLogin | undefined;
  /** To be set with the next answer. */
  readonly setCookies: readonly string[];
}

/** Recognises browsers by two cookies: one for their forms, one for their login. */
export interface Browsers {
  read(request: Request): Promise<Browser>;
  /**
   * Makes a login the login of a browser, under a new identity: who knew the old one knows nothing of this. The
   * login that was there before ends.
   *
   * @returns without a login when that one has ended meanwhile.
   */
  logIn(browser: Browser, sessionToken: string | undefined, info: RequestInfo): Promise<Browser>;
}

const BROWSER_ID = /^[A-Za-z0-9_-]{22}$/;
const SESSION_TOKEN = /^[A-Za-z0-9._-]{1,512}$/;

export function createBrowsers({ accounts, clock, isSecure }: Settings): Browsers {
  const { grants } = accounts;
  const names = {
    browser: cookieName('doorward_browser', isSecure),
    session: cookieName('doorward_session', isSecure),
  };

  async function find(sessionToken: string | undefined): Promise<BrowserLogin | undefined> {
    if (sessionToken === undefined || !SESSION_TOKEN.test(sessionToken)) return undefined;
    const knownAt = clock();
    const grant = await grants.findBySessionToken(sessionToken);
    return grant?.account && { session: grant.session, account: grant.account, knownAt };
  }

  function newIdentity(): Pick<Browser, 'id' | 'setCookies'> {
    const id = randomBytes(16).toString('base64url');
    return { id, setCookies: [cookie({ name: names.browser, value: id, isSecure })] };
  }

  return {
    async read(request) {
      const id = readCookie(request, names.browser);
      const login = await find(readCookie(request, names.session));
      if (id !== undefined && BROWSER_ID.test(id)) return { id, setCookies: [], login };
      return { ...newIdentity(), login };
    },

    async logIn(browser, sessionToken, info) {
      const login = await find(sessionToken);
      if (login === undefined || sessionToken === undefined) return { ...browser, login };
      if (browser.login !== undefined) await grants.end(browser.login.session, 'logout', info);
      const { id, setCookies } = newIdentity();
      return { id, login, setCookies: [...setCookies, cookie({ name: names.session, value: sessionToken, isSecure })] };
    },
  };
}
