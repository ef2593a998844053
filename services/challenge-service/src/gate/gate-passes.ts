// The passes of the gate: sealed cookies that name site, network and expiry, and are verified without the store.

import { createLruCache } from '@tollgate/shared/cache/lru-cache.js';
import { createEnvelope } from '@tollgate/shared/crypto/envelope.js';
import type { KeyRing } from '@tollgate/shared/crypto/key-ring.js';
import { keyedHash } from '@tollgate/shared/crypto/keyed-hash.js';
import type { GateOptions } from './gate-options.js';

/** Why a pass is not accepted. */
export type PassProblem = 'forged' | 'expired' | 'other_site' | 'other_network';

/** Who shows a pass, and where. */
export interface PassHolder {
  /** The origin of the site. */
  readonly site: string;
  /** Normalised; null if it is not known, and then nobody has a pass. */
  readonly address: string | null;
}

/** Issues and verifies passes. */
export interface GatePasses {
  /** Seconds that a pass is valid. */
  readonly seconds: number;
  /** Returns the value of a cookie. @param nowMs milliseconds since 1970 */
  issue(holder: PassHolder & { readonly address: string }, nowMs: number): string;
  /** Returns null if the pass is valid for this holder. */
  problemOf(pass: string, holder: PassHolder, nowMs: number): PassProblem | null;
}

/** Networks whose keyed hashes are kept, and passes that were opened. */
const MOST_CACHED = 5000;

/** What a pass says. */
interface PassClaims {
  /** Seconds since 1970. */
  readonly expires: number;
  /** The keyed hash of the network. */
  readonly network: string;
  readonly site: string;
}

const PURPOSE = 'tollgate gate network';

/**
 * A pass is `expiry in seconds since 1970, keyed hash of the network, site`, encrypted and signed in an envelope of the
 * first key. All keys open one, so that passes outlive a change of keys.
 */
export function createGatePasses(ring: KeyRing, terms: GateOptions['pass']): GatePasses {
  const envelope = createEnvelope('pass', ring);
  const known = createLruCache<readonly string[]>(MOST_CACHED);
  const opened = createLruCache<PassClaims>(MOST_CACHED);

  /** The keyed hashes of the network of an address, under each key; that of the current key first. */
  function networksOf(address: string): readonly string[] {
    const network = networkOf(address, terms);
    let hashes = known.get(network);
    if (hashes === undefined) {
      hashes = ring.all.map((key) => keyedHash(key.derive(PURPOSE), network).toString('hex'));
      known.set(network, hashes);
    }
    return hashes;
  }

  /** Opens a pass, once: a visitor shows it with every request. What does not open is not kept. */
  function claimsOf(pass: string): PassClaims | null {
    const remembered = opened.get(pass);
    if (remembered !== undefined) return remembered;
    const [expires, network, site] = envelope.open(pass)?.split(' ') ?? [];
    if (expires === undefined || network === undefined || site === undefined) return null;
    const claims = { expires: Number(expires), network, site };
    opened.set(pass, claims);
    return claims;
  }

  return {
    seconds: terms.seconds,
    issue({ site, address }, nowMs) {
      const expires = Math.floor(nowMs / 1000) + terms.seconds;
      return envelope.seal(`${expires} ${networksOf(address)[0]} ${site}`);
    },
    problemOf(pass, { site, address }, nowMs) {
      const claims = claimsOf(pass);
      if (claims === null) return 'forged';
      if (claims.site !== site) return 'other_site';
      if (!(claims.expires * 1000 > nowMs)) return 'expired';
      return address !== null && networksOf(address).includes(claims.network) ? null : 'other_network';
    },
  };
}

/**
 * Returns the network of a normalised address, such as `203.0.113.0/24`.
 * @param bits the length of its prefix: 8 to 32 for IPv4, 32 to 64 for IPv6
 */
export function networkOf(
  address: string,
  { ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number },
): string {
  if (!address.includes(':')) return `${cut(address.split('.').map(Number), ipv4, 8).join('.')}/${ipv4}`;
  const groups = address
    .split(':')
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16));
  return `${cut(groups, ipv6, 16)
    .map((group) => group.toString(16))
    .join(':')}::/${ipv6}`;
}

/** Clears what follows the first bits. @param size bits of each group */
function cut(groups: readonly number[], bits: number, size: number): number[] {
  return groups.map((group, at) => {
    const kept = Math.min(Math.max(bits - at * size, 0), size);
    return group & ~(2 ** (size - kept) - 1);
  });
}
