import { addressKey } from 'doorward/accounts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('address key', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:FFFF:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('LOG-20 of %s is %s', (ip, key) => {
    expect(addressKey(ip)).toBe(key);
  });

  it.each([
    '',
    'unknown',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4:80',
    '[::1]',
    '::1::',
    '1.2.3.4, 5.6.7.8',
    `1${'.1'.repeat(5_000)}`,
  ])('LOG-20 what is no address shares one key: %.20s', (ip) => {
    expect(addressKey(ip)).toBe('invalid');
  });

  it('LOG-20 is one for a whole /64, in every spelling, and another one for the next', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), fc.nat(0xffff), (groups, last) => {
        fc.pre(!groups.slice(0, 5).every((group) => group === 0));
        const hex = groups.map((group) => group.toString(16));
        const padded = hex.map((group) => group.padStart(4, '0').toUpperCase());
        const key = addressKey(hex.join(':'));
        expect(addressKey(padded.join(':'))).toBe(key);
        expect(addressKey([...hex.slice(0, 7), last.toString(16)].join(':'))).toBe(key);
        const next = ((groups[3] ?? 0) ^ 1).toString(16);
        expect(addressKey([...hex.slice(0, 3), next, ...hex.slice(4)].join(':'))).not.toBe(key);
      }),
    );
  });
});
