// Reads the counted address of a request from the store.

import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { addressPseudonym, challengeKeys, normaliseAddress, slotTag } from '@tollgate/shared/challenges';
import type { KeyRing } from '@tollgate/shared/crypto';
import { type Store, StoreUnavailableError } from '@tollgate/shared/store';
import { addressesOf, type PublicClient } from '../public-client.js';

/** Counted address of a request from this machine. */
export interface CountedAddress {
  /** Whether it is the address that this machine connected from. */
  readonly isOwn: boolean;
  /** The address, if it is one of the possible proxy addresses. */
  readonly proxy: string | undefined;
}

/** Counter store and key prefix. */
interface Counters {
  readonly store: Store;
  /** `CAPTCHA_CACHE_PREFIX`. */
  readonly prefix: string;
  readonly ring: KeyRing;
}

/** Counts one request through the gateway; undefined if the store does not respond. */
export async function probeCountedAddress(
  client: PublicClient,
  counters: Counters,
  localAddress: string,
  trustProxy: readonly string[],
  issue: () => Promise<unknown>,
): Promise<CountedAddress | undefined> {
  const proxies = proxyAddresses(await addressesOf(client), trustProxy);
  const others = proxies.filter((address) => address !== localAddress);
  try {
    return await countedAddress(counters, localAddress, others, issue);
  } catch (error) {
    if (error instanceof StoreUnavailableError) return undefined;
    throw error;
  }
}

/**
 * Sends one request for an image challenge and returns the counted address. Undefined if none of the given addresses was
 * counted: then this machine reaches the gateway from an unknown address.
 *
 * @param own this machine's address on the connection
 * @param others possible addresses of a proxy
 * @throws StoreUnavailableError if the store does not respond
 */
export async function countedAddress(
  { store, prefix, ring }: Counters,
  own: string,
  others: readonly string[],
  issue: () => Promise<unknown>,
): Promise<CountedAddress | undefined> {
  const keys = challengeKeys(prefix, slotTag);
  const count = async (address: string) => {
    const key = keys.limit('image', addressPseudonym(ring.current, address));
    return Number((await store.read(key)) ?? 0);
  };
  const ownAddress = normaliseAddress(own);
  if (ownAddress === null) return undefined;
  const proxies = others.flatMap((address) => normaliseAddress(address) ?? []);
  const candidates = [...new Set([ownAddress, ...proxies])];
  const before = await Promise.all(candidates.map(count));
  await issue();
  const after = await Promise.all(candidates.map(count));
  const risen = candidates.filter((_, at) => after[at] !== before[at]);
  if (risen.length === 0) return undefined;
  const isOwn = risen.includes(ownAddress);
  return { isOwn, proxy: isOwn ? undefined : risen[0] };
}

/** Possible addresses of a proxy in front of the services. */
function proxyAddresses(hostAddresses: readonly string[], trustProxy: readonly string[]): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [
    ...hostAddresses,
    ...interfaces.map(({ address }) => address),
    ...trustProxy.filter((entry) => isIP(entry) !== 0),
  ];
}
