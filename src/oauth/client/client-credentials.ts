import { createTokenIssuer } from '../../tokens/index.ts';
import type { Call } from './exchange.ts';
import type { Settings } from './options.ts';

const ASSERTION_SECONDS = 60;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Adds to a form what proves that the client is itself (RFC 6749 section 2.3, RFC 7523 section 2.2). */
export function createAuthenticated(settings: Settings): (call: Required<Pick<Call, 'url' | 'form'>>) => Call {
  const { authentication, clientId, issuer: audience, clock } = settings;
  switch (authentication.method) {
    case 'none':
      return ({ url, form }) => ({ url, form: { ...form, client_id: clientId } });
    case 'client_secret_basic': {
      const credentials = `${encoded(clientId)}:${encoded(authentication.secret)}`;
      const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
      return ({ url, form }) => ({ url, form, headers: { authorization } });
    }
    case 'client_secret_post': {
      const { secret } = authentication;
      return ({ url, form }) => ({ url, form: { ...form, client_id: clientId, client_secret: secret } });
    }
    case 'private_key_jwt': {
      const assertions = createTokenIssuer({
        key: authentication.key,
        issuer: clientId,
        audience,
        ttlSeconds: ASSERTION_SECONDS,
        clock,
      });
      return ({ url, form }) => ({
        url,
        form: {
          ...form,
          client_id: clientId,
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: assertions.issue({ sub: clientId }),
        },
      });
    }
  }
}

/** As a form encodes it (RFC 6749 section 2.3.1 and appendix B). */
function encoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
