import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './address-guard.js';

describe('the address guard', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::6810:85e5', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    'lets %s pass',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each([
    ['loopback', ['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::7f00:1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '::ffff:192.168.1.1', 'fec0::1']],
    [
      'link-local and metadata',
      ['169.254.169.254', '168.63.129.16', 'fe80::1', 'fd00:ec2::254', '192.0.0.192', '100.100.100.200'],
    ],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['unique local', ['fc00::1', 'fd12:3456::1']],
    [
      'unspecified, multicast and reserved',
      ['0.0.0.0', '0.1.2.3', '::', '224.0.0.1', 'ff02::1', '240.0.0.1', '255.255.255.255'],
    ],
    [
      'documentation and benchmarking',
      ['192.0.2.1', '198.51.100.1', '203.0.113.7', '198.18.0.1', '2001:db8::1'],
    ],
    ['tunnels to any IPv4 address', ['2002:7f00:1::', '2001:0:1::1']],
    ['no address', ['localhost', '', '127.0.0.1.', '1.2.3.4.5']],
  ])('refuses %s', (_kind, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
