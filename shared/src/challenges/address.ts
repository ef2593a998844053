// A client's address, as counters and `bind_ip` see it.

import ipaddr from 'ipaddr.js';
import { createRecentMap } from '../crypto/recent-map.js';

/** An IPv6 address that ends in an IPv4 one; what is longer has a zone or is no address. */
const LONGEST_REMEMBERED = 45;

const remembered = createRecentMap<{ readonly normalised: string | null }>(5000);

/**
 * Brings an address to the form that is counted: an IPv4-mapped IPv6 address is the IPv4 address, an IPv6
 * address is its /64 network (decisions 1, "Client address"). Null for what is no address.
 */
export function normaliseAddress(address: string | undefined): string | null {
  if (address === undefined) return null;
  if (address.length > LONGEST_REMEMBERED) return normalise(address);
  let known = remembered.get(address);
  if (known === undefined) {
    known = { normalised: normalise(address) };
    remembered.set(address, known);
  }
  return known.normalised;
}

function normalise(address: string): string | null {
  // `isValid` also takes `1` and `0x7f.1` for addresses of IPv4.
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * The /56 and the /48 of a normalised IPv6 address, in this order: what one customer of a provider may have for himself.
 * None for IPv4 and for what is no address.
 */
export function widerNetworks(normalised: string): readonly string[] {
  const [first, second, third, fourth] = normalised.split(':');
  if (!normalised.endsWith('::/64') || fourth === undefined) return [];
  const upper = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
  return [`${first}:${second}:${third}:${upper}::/56`, `${first}:${second}:${third}::/48`];
}
