import { DEMO_PASSWORD } from './demo-password.ts';

/** What a visitor sees. */
export interface Sight {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
}

/** Somebody with a browser without scripts: keeps cookies, fills in forms, and follows redirects within the server. */
export interface Visitor {
  readonly cookies: ReadonlyMap<string, string>;
  open(url: string | URL, init?: RequestInit): Promise<Sight>;
  /** Sends the form of a page with its hidden fields. */
  submit(page: Sight, fields: Readonly<Record<string, string>>): Promise<Sight>;
  /** Signs in, and consents where that is asked. @returns where the server sends the browser. */
  authorize(url: string | URL, as?: Partial<Credentials>): Promise<URL>;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly otp?: string;
  readonly decision: 'allow' | 'deny';
}

export function visitor(): Visitor {
  const cookies = new Map<string, string>();

  const open = async (url: string | URL, init: RequestInit = {}): Promise<Sight> => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      if (value === '' || attributes.some((text) => /^max-age=0$/i.test(text))) cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: response.status, url: String(url), headers: response.headers, html: await response.text() };
  };

  const submit = (page: Sight, fields: Readonly<Record<string, string>>): Promise<Sight> => {
    const form = /<form\b[^>]*>[\s\S]*?<\/form>/.exec(page.html)?.[0] ?? '';
    const action = attribute(form, 'action');
    if (action === undefined) throw new Error(`there is no form on this page: ${page.status} ${page.html}`);
    const body = new URLSearchParams();
    for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
      if (attribute(input, 'type') === 'hidden')
        body.set(attribute(input, 'name') ?? '', attribute(input, 'value') ?? '');
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return open(new URL(action, page.url), {
      method: 'POST',
      body,
      headers: { 'sec-fetch-site': 'same-origin', origin: 'null' },
    });
  };

  return {
    cookies,
    open,
    submit,
    async authorize(url, { username = 'viewer', password = DEMO_PASSWORD, otp, decision = 'allow' } = {}) {
      let page = await open(url);
      if (page.html.includes('name="password"')) page = await submit(page, { username, password, action: 'login' });
      if (page.html.includes('name="otp"') && otp !== undefined) page = await submit(page, { otp, action: 'verify' });
      if (page.html.includes('value="allow"')) page = await submit(page, { action: decision });
      const location = page.headers.get('location');
      if (location === null) throw new Error(`not sent back: ${page.status} ${page.html}`);
      return new URL(location, page.url);
    },
  };
}

function attribute(element: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(element)?.[1];
  return value
    ?.replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
