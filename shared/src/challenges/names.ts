// Turns addresses and account keys into the names that enter the store: keyed, so that a dump names nobody.

import type { RingKey } from '../crypto/key-ring.js';
import { keyedHash } from '../crypto/keyed-hash.js';
import { ALPHANUMERICS } from '../crypto/random-text.js';
import { createRecentMap, type RecentMap } from '../crypto/recent-map.js';

/** Number of values of a two-character tag. */
const TAGS = ALPHANUMERICS.length ** 2;

/** Addresses whose names are remembered, for each key. */
const MOST_ADDRESSES = 5000;

const addressNames = new WeakMap<RingKey, RecentMap<string>>();

/**
 * 128 bits of a keyed address, as 32 hexadecimal digits. Every request asks for one, and the same addresses ask again
 * and again, so the latest are remembered: under load an HMAC costs a third of a small request.
 * @param address normalised, or the few texts that stand for none
 */
export function addressName(key: RingKey, address: string): string {
  let names = addressNames.get(key);
  if (names === undefined) {
    names = createRecentMap(MOST_ADDRESSES);
    addressNames.set(key, names);
  }
  let name = names.get(address);
  if (name === undefined) {
    name = keyedHash(key.derive('tollgate address'), address).toString('hex');
    names.set(address, name);
  }
  return name;
}

/** 128 bits of a host's account key, as 32 hexadecimal digits. Keys of different hosts never meet. */
export function accountName(key: RingKey, host: string, accountKey: string): string {
  return keyedHash(key.derive('tollgate account'), host, accountKey).toString('hex');
}

/** The two characters that put an address's counters and challenges into one hash slot; they only spread load. */
export function slotTag(name: string): string {
  const slot = Number.parseInt(name.slice(0, 8), 16) % TAGS;
  return ALPHANUMERICS.charAt(Math.floor(slot / 62)) + ALPHANUMERICS.charAt(slot % 62);
}
