import { DoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';
import { API, createTokenWorld, ISSUER, REPORTS, type TokenAnswer } from './support/token-world.ts';

const short = ({ status, body }: TokenAnswer) => ({ status, ...(body.error !== undefined && { error: body.error }) });
const refusal = (error: string) => ({ status: 400, error });

describe('the token endpoint', () => {
  it.each([
    ['', 'invalid_request'],
    ['password', 'unsupported_grant_type'],
    ['implicit', 'unsupported_grant_type'],
    ['urn:ietf:params:oauth:grant-type:device_code', 'unsupported_grant_type'],
    ['Authorization_Code', 'unsupported_grant_type'],
    ['authorization_code  refresh_token', 'unsupported_grant_type'],
    ['authorization_code ', 'unsupported_grant_type'],
    ['constructor', 'unsupported_grant_type'],
    ['__proto__', 'unsupported_grant_type'],
    ['client_credentials', 'unauthorized_client'],
  ])('answers the grant type %j with %s (OAU-25)', async (grant_type, error) => {
    const { post } = createTokenWorld();
    const answer = await post({ grant_type, client_id: 'spa' });
    expect(short(answer)).toEqual(refusal(error));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(String(answer.body.error_description)).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  });

  it('tells nothing to whom it does not know', async () => {
    const { post, putCode, redeem } = createTokenWorld();
    const code = await putCode();
    for (const form of [{}, { grant_type: 'password' }, { grant_type: 'authorization_code', code }]) {
      expect(short(await post({ ...form, client_id: 'nobody' }))).toEqual({ status: 401, error: 'invalid_client' });
    }
    expect((await redeem(code)).status).toBe(200);
  });

  it.each(['code', 'grant_type', 'client_id', 'code_verifier', 'unknown'])('refuses %s twice', async (name) => {
    const { post } = createTokenWorld();
    const form = `grant_type=authorization_code&client_id=spa&${name}=a&${name}=a`;
    const answer = await post(form);
    expect(short(answer)).toEqual(refusal('invalid_request'));
    expect(JSON.stringify(answer.body)).not.toContain(name === 'unknown' ? 'unknown' : 'spa');
  });

  it('takes several resources, and an unknown parameter for none', async () => {
    const { post } = createTokenWorld({
      clients: [{ id: 'svc', grantTypes: ['client_credentials'], scopes: ['create'] }],
    });
    const resources = [API, REPORTS].map((resource) => `&resource=${encodeURIComponent(resource)}`).join('');
    const { body } = await post(`grant_type=client_credentials&client_id=svc&colour=red&__proto__=1${resources}`);
    const claims = JSON.parse(Buffer.from(String(body.access_token).split('.')[1] ?? '', 'base64url').toString());
    expect(claims.aud).toEqual([API, REPORTS]);
  });

  it('reads forms and nothing else', async () => {
    const { post } = createTokenWorld();
    const json = JSON.stringify({ grant_type: 'authorization_code', client_id: 'spa' });
    expect(short(await post(json, { contentType: 'application/json' }))).toEqual(refusal('invalid_request'));
    expect(short(await post(json, { contentType: 'text/plain' }))).toEqual(refusal('invalid_request'));
    expect(short(await post('grant_type=%ff&client_id=spa'))).toEqual(refusal('invalid_request'));
    expect(short(await post(`client_id=spa&x=${'x'.repeat(17_000)}`))).toEqual({
      status: 413,
      error: 'invalid_request',
    });
    expect(short(await post('a&'.repeat(200)))).toEqual(refusal('invalid_request'));
  });

  it('never reads the query', async () => {
    const { post } = createTokenWorld();
    const url = `${ISSUER}/oauth/token?grant_type=client_credentials&client_id=spa`;
    expect(short(await post({}, { url }))).toEqual({ status: 401, error: 'invalid_client' });
    expect(short(await post({ client_id: 'spa' }, { url }))).toEqual(refusal('invalid_request'));
  });

  it('wants a good proof where there is one, and one where the client needs it', async () => {
    const { putCode, redeem } = createTokenWorld({ clients: [{ requiresDpop: true }] });
    const code = await putCode();
    expect(short(await redeem(code))).toEqual(refusal('invalid_dpop_proof'));
    expect(short(await redeem(code, {}, { dpop: 'bad' }))).toEqual(refusal('invalid_dpop_proof'));
    expect(short(await redeem(code, {}, { dpop: 'key-1' }))).toEqual({ status: 200 });
  });

  it('answers what nobody foresaw with a 500 without a word about it', async () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7');
    const { putCode, redeem, errors } = createTokenWorld({
      codes: (codes) => ({ ...codes, find: async () => Promise.reject(cause) }),
    });
    const answer = await redeem(await putCode());
    expect(answer).toMatchObject({
      status: 500,
      body: { error: 'server_error', error_description: 'The server could not answer' },
    });
    expect(errors).toEqual([cause]);
  });

  it('tells when to try again', async () => {
    const { putCode, redeem } = createTokenWorld({
      codes: (codes) => ({
        ...codes,
        find: async () => Promise.reject(new DoorwardError('SERVICE_BUSY', { retryAfterSeconds: 2 })),
      }),
    });
    const answer = await redeem(await putCode());
    expect(short(answer)).toEqual({ status: 503, error: 'temporarily_unavailable' });
    expect(answer.headers.get('retry-after')).toBe('2');
  });
});
