// A client's address, as counters and `bind_ip` see it.

import ipaddr from 'ipaddr.js';
import { createLruCache } from '../../cache/lru-cache.js';

/** An IPv6 address that ends in an IPv4 one; what is longer has a zone or is no address. */
const LONGEST_REMEMBERED = 45;

const remembered = createLruCache<{ readonly normalised: string | null }>(5000);

/**
 * The /96 prefixes under which a translator between IPv4 and IPv6 shows an IPv4 host, by their six leading parts. The local-use prefix
 * 64:ff9b:1::/48 (RFC 8215) is not here: each network chooses where the IPv4 address stands in it.
 */
const TRANSLATED_PREFIXES = [
  // RFC 6052, the well-known prefix.
  [0x64, 0xff9b, 0, 0, 0, 0],
  // RFC 2765, IPv4-translated addresses.
  [0, 0, 0, 0, 0xffff, 0],
];

/**
 * Brings an address to the form that is counted: an IPv4-mapped IPv6 address is the IPv4 address (decisions 1, "Client address"), and so
 * is an address under a prefix of translators (`64:ff9b::/96`, `::ffff:0:0:0/96`). Any other IPv6 address is its /64 network: under 6to4
 * and Teredo too, where the IPv4 address inside belongs to a router or a relay of many clients. Null for what is no address.
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
  const { parts } = parsed as ipaddr.IPv6;
  if (TRANSLATED_PREFIXES.some((prefix) => prefix.every((part, at) => part === parts[at]))) {
    return parts
      .slice(6)
      .flatMap((part) => [part >> 8, part & 0xff])
      .join('.');
  }
  const network = parts.slice(0, 4).map((part) => part.toString(16));
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

/**
 * The text trimmed, in compatibility form (NFKC) and lower case. Does not judge whether it is an address. Without it
 * every spelling of one e-mail (`Ann@…`, ` ann@…`, full-width letters) has a count of its own, and so guesses of its own.
 *
 * @throws TypeError when `account` is no text
 */
export function accountKey(account: string): string {
  // Lower case can undo the form (U+0130 becomes two characters), and the form can bring white space to the ends.
  return account.normalize('NFKC').toLowerCase().normalize('NFKC').trim();
}
