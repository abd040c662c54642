import { environmentSource } from 'doorward';
import { describe, expect, it } from 'vitest';

const hourAt = (instant: string, timeZone?: string): number | undefined =>
  environmentSource({ clock: () => Date.parse(instant), ...(timeZone && { timeZone }) })().hour;

describe('environmentSource', () => {
  it('counts hours in UTC unless told otherwise, whatever the host zone is', () => {
    expect(hourAt('2026-03-01T00:00:00Z')).toBe(0);
    expect(hourAt('2026-03-01T08:59:59.999Z')).toBe(8);
    expect(hourAt('2026-03-01T09:00:00.000Z')).toBe(9);
    expect(hourAt('2026-03-01T18:59:59.999Z')).toBe(18);
    expect(hourAt('2026-03-01T19:00:00.000Z')).toBe(19);
  });

  it('CLK-06 follows the configured zone across a clock change', () => {
    expect(hourAt('2026-03-29T00:59:59Z', 'Europe/Berlin')).toBe(1);
    expect(hourAt('2026-03-29T01:00:00Z', 'Europe/Berlin')).toBe(3);
    expect(hourAt('2026-10-25T00:30:00Z', 'Europe/Berlin')).toBe(2);
    expect(hourAt('2026-10-25T01:30:00Z', 'Europe/Berlin')).toBe(2);
    expect(hourAt('2024-02-29T12:00:00Z', 'Asia/Kathmandu')).toBe(17);
    expect(hourAt('2024-02-29T12:15:00Z', 'Asia/Kathmandu')).toBe(18);
  });

  it('keeps up with a clock that moves, in either direction', () => {
    let now = Date.parse('2026-03-01T10:59:59Z');
    const environment = environmentSource({ clock: () => now });
    expect(environment().hour).toBe(10);
    now += 1_000;
    expect(environment().hour).toBe(11);
    now -= 3_600_000;
    expect(environment().hour).toBe(10);
  });

  it('adds what is known of the caller', () => {
    expect(environmentSource({ clock: () => 0 })({ ip: '192.0.2.1', userAgent: 'curl' })).toEqual({
      time: 0,
      hour: 0,
      ip: '192.0.2.1',
      userAgent: 'curl',
    });
  });

  it('refuses a zone that does not exist', () => {
    expect(() => environmentSource({ timeZone: 'Mars/Olympus' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', field: 'timeZone' }),
    );
  });
});
