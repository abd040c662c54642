import { DoorwardError, type ErrorCode, errorCatalogue } from 'doorward';
import { errorResponse, json } from 'doorward/http';
import { describe, expect, it } from 'vitest';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe('errorResponse', () => {
  it.each(codes)('HTTP-21 %s has the status of the catalogue and the headers of every JSON answer', async (code) => {
    const response = errorResponse(new DoorwardError(code));
    expect(response.status).toBe(errorCatalogue[code].status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it('every 401 has a challenge and every other status none, 403 apart', () => {
    for (const code of codes) {
      const { status, headers } = errorResponse(new DoorwardError(code));
      expect(headers.has('www-authenticate'), code).toBe(status === 401 || status === 403);
    }
  });

  it('a 401 without credentials carries no error code, one with a bad token carries invalid_token', () => {
    const error = new DoorwardError('AUTH_NOT_AUTHENTICATED');
    expect(errorResponse(error).headers.get('www-authenticate')).toBe('Bearer');
    expect(errorResponse(error, { presented: true }).headers.get('www-authenticate')).toBe(
      'Bearer error="invalid_token"',
    );
  });

  it('a 401 speaks through detail where asked to; other statuses do not', async () => {
    const options = { bodyKey: 'detail' } as const;
    expect(await errorResponse(new DoorwardError('AUTH_INVALID_CREDENTIALS'), options).json()).toEqual({
      detail: 'Invalid credentials',
    });
    expect(await errorResponse(new DoorwardError('HTTP_NOT_FOUND'), options).json()).toEqual({ error: 'Not found' });
  });

  it('a login that is too old is told how recent it must be (RFC 9470)', () => {
    const error = new DoorwardError('AUTH_REAUTHENTICATION_REQUIRED', { stepUp: { maxAgeSeconds: 900 } });
    expect(errorResponse(error).headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", ' +
        'error_description="A more recent or stronger login is required", max_age="900"',
    );
  });

  it('a 403 names what was missing and keeps its fixed error text', async () => {
    const response = errorResponse(new DoorwardError('AUTHZ_FORBIDDEN', { problem: 'Requires permission: delete' }));
    expect(await response.json()).toEqual({ error: 'Forbidden', message: 'Requires permission: delete' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope"');
  });

  it('a 400 names the field and the problem', async () => {
    const error = new DoorwardError('INPUT_INVALID', { field: 'email', problem: 'is not an e-mail address' });
    expect(await errorResponse(error).json()).toEqual({ error: 'email is not an e-mail address' });
  });

  it('429 and 503 tell when to come back where that is known', () => {
    for (const code of ['HTTP_TOO_MANY_REQUESTS', 'SERVICE_BUSY'] as const) {
      expect(errorResponse(new DoorwardError(code, { retryAfterSeconds: 7 })).headers.get('retry-after')).toBe('7');
    }
    expect(errorResponse(new DoorwardError('SERVICE_UNAVAILABLE')).headers.has('retry-after')).toBe(false);
  });

  it.each([
    new Error('password=hunter2 at /srv/x.ts:1:1'),
    new DoorwardError('INTERNAL', { problem: 'password=hunter2' }),
    new DoorwardError('CONFIG_INVALID', { field: 'secret', problem: 'hunter2' }),
    new DoorwardError('SERVICE_UNAVAILABLE', { problem: 'SELECT hunter2', cause: new Error('hunter2') }),
    'hunter2',
    null,
    undefined,
  ])('says nothing of the cause of a server error, and tells it to onError: %s', async (cause) => {
    const seen: unknown[] = [];
    const response = errorResponse(cause, { onError: (error) => seen.push(error) });
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.text()).not.toMatch(/hunter2|SELECT|srv/);
    expect(seen).toEqual([cause]);
  });

  it('does not bother onError with what a client did wrong', () => {
    const seen: unknown[] = [];
    for (const code of codes) {
      errorResponse(new DoorwardError(code), { onError: () => seen.push(errorCatalogue[code].status) });
    }
    expect(Math.min(...(seen as number[]))).toBe(500);
  });

  it('a listener that throws does not change the answer', () => {
    const onError = () => {
      throw new Error('log is full');
    };
    expect(errorResponse(new Error('x'), { onError }).status).toBe(500);
  });
});

describe('json', () => {
  it('tells the length of its body in bytes', async () => {
    const response = json(200, { name: 'Zoë' });
    expect(Number(response.headers.get('content-length'))).toBe((await response.arrayBuffer()).byteLength);
  });
});
