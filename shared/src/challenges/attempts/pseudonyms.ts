// Derives the pseudonyms of addresses and accounts: keyed hashes, so that a dump of the store identifies nobody.

import { createLruCache, type LruCache } from '../../cache/lru-cache.js';
import type { RingKey } from '../../crypto/key-ring.js';
import { keyedHash } from '../../crypto/keyed-hash.js';
import { ALPHANUMERICS } from '../../crypto/random.js';
import { widerNetworks } from './normalise.js';

/** Number of values of a two-character tag. */
const TAGS = ALPHANUMERICS.length ** 2;

/** Cached addresses per key. */
const MOST_ADDRESSES = 5000;

/** Digits of a pseudonym that decide its slot. */
const SLOT_DIGITS = 8;

/** The pseudonyms of an address and its networks. */
export interface AddressPseudonyms {
  /** 128 bits of the keyed hash of the address, as 32 hexadecimal digits. */
  readonly address: string;
  /** The same for its /56 and its /48, in this order; none for an IPv4 address. */
  readonly networks: readonly string[];
  /** The slot tag of the address. */
  readonly tag: string;
}

const pseudonymCaches = new WeakMap<RingKey, LruCache<AddressPseudonyms>>();

/**
 * Returns the pseudonyms of an address. Every request needs them and an HMAC costs a third of a small request, so the
 * most recent ones are cached. All networks of one /48 begin with the same digits, so that their counters share a slot
 * and one script can count them together.
 * @param address normalised, or a text that stands for an unknown address
 */
export function addressPseudonyms(key: RingKey, address: string): AddressPseudonyms {
  let known = pseudonymCaches.get(key);
  if (known === undefined) {
    known = createLruCache(MOST_ADDRESSES);
    pseudonymCaches.set(key, known);
  }
  let pseudonyms = known.get(address);
  if (pseudonyms === undefined) {
    pseudonyms = derivePseudonyms(key, address);
    known.set(address, pseudonyms);
  }
  return pseudonyms;
}

/** Returns the pseudonym of an address without those of its networks. */
export function addressPseudonym(key: RingKey, address: string): string {
  return addressPseudonyms(key, address).address;
}

function derivePseudonyms(key: RingKey, address: string): AddressPseudonyms {
  const hash = (text: string) => keyedHash(key.derive('tollgate address'), text).toString('hex');
  const networks = widerNetworks(address).map(hash);
  const slot = (networks.at(-1) ?? '').slice(0, SLOT_DIGITS);
  const inSlot = (pseudonym: string) => slot + pseudonym.slice(slot.length);
  const pseudonym = inSlot(hash(address));
  return { address: pseudonym, networks: networks.map(inSlot), tag: slotTag(pseudonym) };
}

/** Returns 128 bits of the keyed hash of an account, as 32 hexadecimal digits, different for each application. */
export function accountPseudonym(key: RingKey, application: string, accountKey: string): string {
  return keyedHash(key.derive('tollgate account'), application, accountKey).toString('hex');
}

/** Returns the two characters that put the counters and challenges of an address into one hash slot; they only spread load. */
export function slotTag(pseudonym: string): string {
  const slot = Number.parseInt(pseudonym.slice(0, SLOT_DIGITS), 16) % TAGS;
  return ALPHANUMERICS.charAt(Math.floor(slot / 62)) + ALPHANUMERICS.charAt(slot % 62);
}
