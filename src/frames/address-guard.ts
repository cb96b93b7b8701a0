import ipaddr from 'ipaddr.js';

/** Answers cloud metadata inside a virtual network although the address is a public one (Azure's wire server). */
const METADATA_ADDRESSES = new Set(['168.63.129.16']);

/**
 * Whether an address belongs to the public Internet. Everything else is refused: private, loopback, link-local
 * (cloud metadata), carrier-grade NAT, unique local, multicast, documentation and reserved ranges, and every IPv6
 * form that carries such an IPv4 address inside.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address); // ::ffff:a.b.c.d becomes a.b.c.d
  if (parsed instanceof ipaddr.IPv4) return isPublicIPv4(parsed);
  // NAT64 (RFC 6052): how a host without IPv4 reaches a public IPv4 server
  if (parsed.range() === 'rfc6052') return isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  return parsed.range() === 'unicast' && isGlobal(parsed);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !METADATA_ADDRESSES.has(address.toString());
}

/** 2000::/3 is all of IPv6 that has been given out as global unicast (RFC 4291, IANA). */
function isGlobal(address: ipaddr.IPv6): boolean {
  return address.toByteArray()[0]! >> 5 === 0b001;
}
