import { lookup } from 'node:dns/promises';
import { isIP, LookupFunction } from 'node:net';
import { SaccadeError } from '../errors/saccade-error.js';
import { isPublicAddress } from './address-guard.js';

/** All addresses of a host name. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

export interface AddressPolicy {
  allowPrivateAddresses: boolean;
  /** How names become addresses; the system's resolver unless given. */
  resolve?: ResolveHost;
  /** What counts as public; `isPublicAddress` unless given. */
  isPublic?: (address: string) => boolean;
}

/**
 * The addresses of a host, all of them allowed.
 *
 * @param hostname as in `URL.hostname`: IPv6 in brackets, IPv4 already in its plain form
 * @throws SaccadeError when one of them is private, or there is none
 */
export async function resolveAllowed(
  hostname: string,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<string[]> {
  const literal = hostname.replace(/^\[|\]$/g, '');
  const addresses =
    isIP(literal) > 0 ? [literal] : await resolveName(literal, policy.resolve ?? systemResolve, signal);
  if (!policy.allowPrivateAddresses && !addresses.every(policy.isPublic ?? isPublicAddress)) {
    const message = `video_url leads to ${hostname}, which is on a private network. Use a public address, or set ALLOW_PRIVATE_VIDEO_URLS.`;
    throw new SaccadeError('input', 'private_video_url', message, { field: 'video_url' });
  }
  return addresses;
}

/** A lookup for `net.connect` that knows the given addresses only. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all === true) callback(null, known);
    else callback(null, known[0]!.address, known[0]!.family);
  };
}

async function resolveName(hostname: string, resolve: ResolveHost, signal: AbortSignal): Promise<string[]> {
  const addresses = await Promise.race([resolve(hostname).catch(() => []), aborted(signal)]);
  if (addresses.length > 0) return addresses;
  const message = `The host of video_url (${hostname}) has no address. Check its spelling.`;
  throw new SaccadeError('unprocessable', 'video_url_failed', message, { field: 'video_url' });
}

async function systemResolve(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** The system's resolver cannot be stopped, but nobody has to wait for it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
