// Sets of address ranges.

import { BlockList, isIP } from 'node:net';
import { parseAddressRange } from '@tollgate/shared/config';
import { createLruCache } from '@tollgate/shared/store';

/** Cached addresses. */
const MOST_CACHED = 5000;

/** Returns whether an address is in the set; false for anything else. */
export type AddressRanges = (address: string) => boolean;

/** Makes a set. IPv4 addresses match as IPv6 ones too (`::ffff:203.0.113.7`). @param ranges checked by the configuration */
export function addressRanges(ranges: readonly string[]): AddressRanges {
  const list = new BlockList();
  for (const text of ranges) {
    const range = parseAddressRange(text);
    if (range === null) throw new RangeError(`${text} is not an address or range`);
    list.addSubnet(range.address, range.prefix, range.family);
  }
  // A search engine's list has hundreds of ranges, which are compared one by one.
  const known = createLruCache<boolean>(MOST_CACHED);
  return (address) => {
    let found = known.get(address);
    if (found === undefined) {
      const version = isIP(address);
      found = version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
      if (version !== 0) known.set(address, found);
    }
    return found;
  };
}
