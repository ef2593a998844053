// Turns addresses and account keys into the names that enter the store: keyed, so that a dump names nobody.

import { createLruCache, type LruCache } from '../../cache/lru-cache.js';
import type { RingKey } from '../../crypto/key-ring.js';
import { keyedHash } from '../../crypto/keyed-hash.js';
import { ALPHANUMERICS } from '../../crypto/random.js';
import { widerNetworks } from './normalise.js';

/** Number of values of a two-character tag. */
const TAGS = ALPHANUMERICS.length ** 2;

/** Addresses whose names are remembered, for each key. */
const MOST_ADDRESSES = 5000;

/** Digits of a name that decide its slot. */
const SLOT_DIGITS = 8;

/** What the store knows of an address. */
export interface AddressPseudonyms {
  /** 128 bits of the keyed address, as 32 hexadecimal digits. */
  readonly address: string;
  /** The same of its /56 and its /48, in this order; none for an IPv4 address. */
  readonly networks: readonly string[];
}

const pseudonymCaches = new WeakMap<RingKey, LruCache<AddressPseudonyms>>();

/**
 * The names of an address. Every request asks for them, and the same addresses ask again and again, so the latest are
 * remembered: under load an HMAC costs a third of a small request. All networks of one /48 begin with the same digits, so
 * that their counters share a slot and one script can count them together.
 * @param address normalised, or the few texts that stand for none
 */
export function addressPseudonyms(key: RingKey, address: string): AddressPseudonyms {
  let known = pseudonymCaches.get(key);
  if (known === undefined) {
    known = createLruCache(MOST_ADDRESSES);
    pseudonymCaches.set(key, known);
  }
  let names = known.get(address);
  if (names === undefined) {
    names = derivePseudonyms(key, address);
    known.set(address, names);
  }
  return names;
}

/** The name of an address alone, without its networks. */
export function addressPseudonym(key: RingKey, address: string): string {
  return addressPseudonyms(key, address).address;
}

function derivePseudonyms(key: RingKey, address: string): AddressPseudonyms {
  const hash = (text: string) => keyedHash(key.derive('tollgate address'), text).toString('hex');
  const networks = widerNetworks(address).map(hash);
  const slot = (networks.at(-1) ?? '').slice(0, SLOT_DIGITS);
  const inSlot = (name: string) => slot + name.slice(slot.length);
  return { address: inSlot(hash(address)), networks: networks.map(inSlot) };
}

/** 128 bits of a host's account key, as 32 hexadecimal digits. Keys of different hosts never meet. */
export function accountPseudonym(key: RingKey, application: string, accountKey: string): string {
  return keyedHash(key.derive('tollgate account'), application, accountKey).toString('hex');
}

/** The two characters that put an address's counters and challenges into one hash slot; they only spread load. */
export function slotTag(pseudonym: string): string {
  const slot = Number.parseInt(pseudonym.slice(0, SLOT_DIGITS), 16) % TAGS;
  return ALPHANUMERICS.charAt(Math.floor(slot / 62)) + ALPHANUMERICS.charAt(slot % 62);
}
