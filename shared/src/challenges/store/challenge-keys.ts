// The store keys of challenges and counters, listed in `docs/store-keys.md`, and the token that names a challenge.

import { createLruCache } from '../../cache/lru-cache.js';
import { randomAlphanumerics } from '../../crypto/random.js';
import { TOKEN_CHARACTERS } from '../../schemas/names.js';

/** Builds the keys with one prefix (`cache.prefix`). The part in braces is the hash tag of Redis Cluster. */
export interface ChallengeKeys {
  /** A proof-of-work record. */
  pow(token: string): string;
  /** A record of the image endpoint. */
  image(token: string): string;
  /** The receipt of redeemed work. */
  receipt(token: string): string;
  /** Requests of an address for work, for the price by volume. */
  volume(address: string): string;
  /** The price in bits that an address remembers of an account. */
  price(address: string): string;
  /** Requests of an address, or of one of its networks, in the current minute. */
  limit(kind: 'pow' | 'image', address: string): string;
  /** Times of the failures of an account. */
  failures(account: string): string;
  /** Failures of an account from one address; they make that pair wait. */
  wait(account: string, address: string): string;
  /** Exists if a success has recently cleared the volume of an address. */
  cleared(address: string): string;
  /** All passes. */
  readonly passes: string;
  /** Uses of a pass in the current minute. */
  passUses(name: string): string;
  /** Exists if this request has counted for the pass. */
  passClaim(name: string, claim: string): string;
}

/** Addresses whose keys are cached. */
const MOST_ADDRESSES = 5000;

/** The same for each site, because there may be many. */
const MOST_ADDRESSES_OF_SITE = 500;

/** The keys of an address that each proof of work needs. */
interface AddressKeys {
  readonly volume: string;
  readonly price: string;
  readonly limit: string;
}

/**
 * Returns the keys that begin with `cachePrefix`; `tagOf` returns the slot tag of an address's pseudonym.
 * @param site the key of a site, whose challenges and counters are apart from all others
 */
export function challengeKeys(
  cachePrefix: string,
  tagOf: (address: string) => string,
  site?: string,
): ChallengeKeys {
  const prefix = site === undefined ? cachePrefix : `${cachePrefix}:site:${site}`;
  const record = (kind: string, token: string) =>
    `${prefix}:${kind}:{${token.slice(0, 2)}}:${token.slice(2)}`;
  const counter = (kind: string, address: string) => `${prefix}:${kind}:{${tagOf(address)}}:${address}`;
  const limit = (kind: string, address: string) => `${counter('limit', address)}:${kind}`;
  const known = createLruCache<AddressKeys>(site === undefined ? MOST_ADDRESSES : MOST_ADDRESSES_OF_SITE);
  const ofAddress = (address: string): AddressKeys => {
    let keys = known.get(address);
    if (keys === undefined) {
      keys = {
        volume: counter('vol', address),
        price: counter('price', address),
        limit: limit('pow', address),
      };
      known.set(address, keys);
    }
    return keys;
  };
  return {
    pow: (token) => record('pow', token),
    image: (token) => record('img', token),
    receipt: (token) => record('receipt', token),
    volume: (address) => ofAddress(address).volume,
    price: (address) => ofAddress(address).price,
    limit: (kind, address) => (kind === 'pow' ? ofAddress(address).limit : limit(kind, address)),
    failures: (account) => `${prefix}:fail:{${account}}`,
    wait: (account, address) => `${prefix}:wait:{${account}}:${address}`,
    cleared: (address) => counter('cleared', address),
    passes: `${prefix}:passes:{passes}`,
    passUses: (name) => `${prefix}:pass-uses:{passes}:${name}`,
    passClaim: (name, claim) => `${prefix}:pass-claim:{passes}:${name}:${claim}`,
  };
}

/** Returns the key of the config fingerprint, written by the last process that reported it. */
export function configFingerprintKey(prefix: string): string {
  return `${prefix}:options`;
}

/** Returns the key that the readiness check writes and reads. */
export function readyKey(prefix: string): string {
  return `${prefix}:ready`;
}

/** Makes a token whose record is in the slot of `tag`. */
export function makeToken(tag: string, random?: (size: number) => Uint8Array): string {
  return tag + randomAlphanumerics(TOKEN_CHARACTERS - tag.length, random);
}
