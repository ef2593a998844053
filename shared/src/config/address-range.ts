// A range of addresses in CIDR notation.

import { isIP } from 'node:net';

/** A range of addresses; a single address is its own range. */
export interface AddressRange {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** The prefix length. */
  readonly prefix: number;
}

/**
 * Reads `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/32` (CIDR, RFC 4632 and RFC 4291 section 2.3).
 * @returns null for anything else, and for an address with a zone
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return null;
  const bits = version === 4 ? 32 : 128;
  if (prefix !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits)) return null;
  return {
    address,
    family: version === 4 ? 'ipv4' : 'ipv6',
    prefix: prefix === undefined ? bits : Number(prefix),
  };
}
