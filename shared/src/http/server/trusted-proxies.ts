// The proxies whose forwarded addresses count.

import proxyAddr from '@fastify/proxy-addr';
import { createLruCache } from '../../cache/lru-cache.js';

/** Gateways have few addresses; clients may claim any number of others. */
const MOST_KNOWN = 1000;

/** The longest address, with a zone; clients may send longer texts, which are not kept. */
const LONGEST_KNOWN = 64;

/**
 * Returns the `trustProxy` of Fastify: whether an address is that of a trusted proxy. Fastify asks it again each time that
 * the address or the host of a request is read, and parsing an address takes a twentieth of a small request.
 *
 * @param proxies addresses, CIDR ranges, `loopback` and `uniquelocal`
 * @throws TypeError for anything else
 */
export function trustedProxies(proxies: readonly string[]): (address: string | undefined) => boolean {
  const isTrusted = proxyAddr.compile([...proxies]);
  const known = createLruCache<boolean>(MOST_KNOWN);
  return (address) => {
    // A socket that is closed has none.
    if (address === undefined) return false;
    const remembered = known.get(address);
    if (remembered !== undefined) return remembered;
    const trusted = isTrusted(address, 0);
    if (address.length <= LONGEST_KNOWN) known.set(address, trusted);
    return trusted;
  };
}
