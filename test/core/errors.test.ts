import { readFileSync } from 'node:fs';
import { DoorwardError, errorCatalogue, isDoorwardError } from 'doorward';
import { describe, expect, it } from 'vitest';

describe('DoorwardError', () => {
  it('takes its status and text from the catalogue', () => {
    const error = new DoorwardError('HTTP_NOT_FOUND');
    expect(error).toMatchObject({ code: 'HTTP_NOT_FOUND', status: 404, message: 'Not found' });
  });

  it('names the field and the problem', () => {
    expect(new DoorwardError('INPUT_INVALID', { field: 'email', problem: 'is missing' }).message).toBe(
      'email is missing',
    );
  });

  it('is recognised whichever copy of the package made it', () => {
    const fromAnotherCopy = Object.assign(new Error('x'), { [Symbol.for('doorward.error')]: true });
    expect(isDoorwardError(fromAnotherCopy)).toBe(true);
    expect(isDoorwardError(new DoorwardError('INTERNAL'))).toBe(true);
    expect(isDoorwardError(new Error('x'))).toBe(false);
    expect(isDoorwardError(null)).toBe(false);
    expect(isDoorwardError('INTERNAL')).toBe(false);
  });

  it('AUD-05 keeps the cause out of what is serialised', () => {
    const error = new DoorwardError('SERVICE_UNAVAILABLE', { cause: new Error('password=hunter2') });
    expect(JSON.stringify(error)).not.toContain('hunter2');
    expect(error.message).not.toContain('hunter2');
  });

  it('is documented, every code with its status, and nothing else is', () => {
    const page = readFileSync('docs/errors.md', 'utf8');
    const documented = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    const actual = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
    expect(documented).toEqual(actual);
  });
});
