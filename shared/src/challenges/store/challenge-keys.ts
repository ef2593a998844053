// The names of everything that challenges keep in the store. `docs/store-keys.md` is the table of them.

import { randomAlphanumerics } from '../../crypto/random.js';
import { TOKEN_CHARACTERS } from '../../schemas/names.js';

/** Builds the keys under one prefix (`cache.prefix`). The part in braces is the hash tag: one slot in a cluster. */
export interface ChallengeKeys {
  /** A proof-of-work record. */
  pow(token: string): string;
  /** An image record. */
  image(token: string): string;
  /** Requests for work of an address, for the price by volume. */
  volume(address: string): string;
  /** The price in bits that an address remembers of an account. */
  price(address: string): string;
  /** Requests of an address, or of one of its networks, in the current minute, counted in the issuing step. */
  limit(kind: 'pow' | 'image', address: string): string;
  /** Times of failures of an account. */
  failures(account: string): string;
  /** Failures of an account from one address, which make that pair wait. */
  wait(account: string, address: string): string;
  /** Marks that an address's volume was cleared by a success lately. */
  cleared(address: string): string;
}

/** The keys under `prefix`; `tagOf` gives the slot tag of an address's name. */
export function challengeKeys(prefix: string, tagOf: (address: string) => string): ChallengeKeys {
  const record = (kind: string, token: string) =>
    `${prefix}:${kind}:{${token.slice(0, 2)}}:${token.slice(2)}`;
  const counter = (kind: string, address: string) => `${prefix}:${kind}:{${tagOf(address)}}:${address}`;
  return {
    pow: (token) => record('pow', token),
    image: (token) => record('img', token),
    volume: (address) => counter('vol', address),
    price: (address) => counter('price', address),
    limit: (kind, address) => `${counter('limit', address)}:${kind}`,
    failures: (account) => `${prefix}:fail:{${account}}`,
    wait: (account, address) => `${prefix}:wait:{${account}}:${address}`,
    cleared: (address) => counter('cleared', address),
  };
}

/** The hash of the options of the process that wrote it last. */
export function configFingerprintKey(prefix: string): string {
  return `${prefix}:options`;
}

/** Makes a token whose record lives in the slot of `tag`. */
export function makeToken(tag: string, random?: (size: number) => Uint8Array): string {
  return tag + randomAlphanumerics(TOKEN_CHARACTERS - tag.length, random);
}
