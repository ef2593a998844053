// Address ranges with their own limits: `RATE_LIMIT_RANGES`.

import { BlockList } from 'node:net';
import { Type } from '@sinclair/typebox';
import { type AddressRange, parseAddressRange } from './address-range.js';

/** Limits of address ranges, in both services. */
export const RangeVariables = {
  RATE_LIMIT_RANGES: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 256,
      expected: 'ranges with factors such as 203.0.113.0/24=20, separated by commas',
      description:
        'List of `range=factor` for [shared addresses](challenges/rate-limits.md#offices-behind-one-address)',
    }),
  ),
};

/** Returns the limit factor of a normalised address; 1 for every other address, and for none. */
export type LimitFactor = (address: string | null) => number;

/** A range and its limit factor. */
interface LimitRange extends AddressRange {
  readonly factor: number;
}

const VARIABLE = 'RATE_LIMIT_RANGES';
const MAX_FACTOR = 10_000;

/** IPv6 clients are counted by /64: a narrower range would share counters with addresses outside of it. */
const NARROWEST_IPV6 = 64;

const ELEMENT = /^([^=]+\/\d+)=(\d{1,5})$/;

/** Returns a line for each mistake in the variable. */
export function checkAddressRanges(elements: readonly string[] = []): string[] {
  const known = new Set<string>();
  return elements.flatMap((element) => {
    const range = parseElement(element);
    if (range === null) {
      return [
        `${VARIABLE} must contain ranges with factors such as 203.0.113.0/24=20, not ${shown(element)}`,
      ];
    }
    const mistake = mistakeIn(range);
    if (mistake !== null) return [`${VARIABLE} ${mistake}, not ${shown(element)}`];
    const key = `${bitsOf(range)}/${range.prefix}/${range.family}`;
    if (known.has(key)) return [`${VARIABLE} must name each range once, not twice ${shown(element)}`];
    known.add(key);
    return [];
  });
}

function shown(element: string): string {
  return JSON.stringify(element.length > 60 ? `${element.slice(0, 60)}…` : element);
}

function parseElement(element: string): LimitRange | null {
  const [, text = '', factor] = ELEMENT.exec(element) ?? [];
  const range = parseAddressRange(text);
  return range === null ? null : { ...range, factor: Number(factor) };
}

function mistakeIn(range: LimitRange): string | null {
  const { address, family, prefix, factor } = range;
  if (factor < 1 || factor > MAX_FACTOR) return `must have whole numbers from 1 to ${MAX_FACTOR} as factors`;
  if (prefix === 0) return 'must not include all addresses: the other RATE_LIMIT_ variables set their limits';
  if (family === 'ipv6' && address.includes('.')) return 'must contain IPv4 addresses in IPv4 notation';
  if (family === 'ipv6' && prefix > NARROWEST_IPV6) {
    return `must have IPv6 ranges of /${NARROWEST_IPV6} or wider: their addresses are counted together`;
  }
  const free = BigInt((family === 'ipv4' ? 32 : 128) - prefix);
  const bits = bitsOf(range);
  return (bits >> free) << free === bits ? null : 'must begin each range with its first address';
}

/** Returns an address as an integer. */
function bitsOf({ address, family }: AddressRange): bigint {
  if (family === 'ipv4') {
    return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  }
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array(8 - first.length - last.length).fill('0'), ...last];
  return all.reduce((sum: bigint, group: string) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

/** Returns the factors of a valid variable: if several ranges contain an address, the narrowest counts. */
export function limitFactors(elements: readonly string[] = []): LimitFactor {
  const ranges = elements
    .flatMap((element) => parseElement(element) ?? [])
    .sort((one, other) => other.prefix - one.prefix)
    .map((range) => ({ ...range, list: listOf([range]) }));
  if (ranges.length === 0) return () => 1;
  const any = listOf(ranges);
  return (address) => {
    if (address === null) return 1;
    // A normalised IPv6 address is a /64.
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    const plain = address.replace('/64', '');
    if (!any.check(plain, family)) return 1;
    return ranges.find((range) => range.family === family && range.list.check(plain, family))?.factor ?? 1;
  };
}

function listOf(ranges: readonly AddressRange[]): BlockList {
  const list = new BlockList();
  for (const { address, prefix, family } of ranges) list.addSubnet(address, prefix, family);
  return list;
}
