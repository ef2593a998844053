// The gate's passes: sealed cookies with site, networks and expiry, verified without the store.

import { createEnvelope, type KeyRing, keyedHash, randomHex } from '@tollgate/shared/crypto';
import { createLruCache } from '@tollgate/shared/store';
import type { GateOptions } from './gate-options.js';

/** Why a pass is rejected. */
export type PassProblem = 'forged' | 'expired' | 'other_site' | 'other_network';

/** A pass holder, and the site of the request. */
interface PassHolder {
  /** The origin of the site. */
  readonly site: string;
  /** Normalised; null if it is unknown, and then no pass is valid. */
  readonly address: string | null;
}

/** A holder whose address is known. */
type KnownHolder = PassHolder & { readonly address: string };

/** The earlier networks of a visitor, sent along with the work. */
interface ShownNetworks {
  /** The page's note, unvalidated. */
  readonly note?: string | undefined;
  /** The passes of its cookies. */
  readonly passes?: readonly string[];
}

/** Issues and verifies passes. */
interface GatePasses {
  /** Seconds that a pass is valid. */
  readonly seconds: number;
  /** Returns the note of a page, which names the page's network. @param nowMs milliseconds since 1970 */
  note(holder: KnownHolder, nowMs: number): string;
  /** Returns whether a note is valid for this site. */
  isFresh(note: string, site: string, nowMs: number): boolean;
  /**
   * Returns the value of a cookie. The pass names the network of the holder, and at most one of the other address family:
   * that of the note, else that of a presented pass, for its remaining time.
   * @param nowMs milliseconds since 1970
   */
  issue(holder: KnownHolder, nowMs: number, shown?: ShownNetworks): string;
  /** Returns null if the pass is valid for this holder. */
  problemOf(pass: string, holder: PassHolder, nowMs: number): PassProblem | null;
}

/** Limits of caches: keyed hashes of networks, opened passes, and used notes. */
const MOST_CACHED = 5000;
const MOST_USED_NOTES = 50_000;
const NOTE_ID_BYTES = 8;

/** Seconds within which a page must send its work to use its note. */
const NOTE_SECONDS = 600;

type Family = '4' | '6';

/** A network in which a pass is valid. */
interface NamedNetwork {
  /** Null in a pass of the previous version, which has one network without its family. */
  readonly family: Family | null;
  /** Its keyed hash. */
  readonly hash: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The content of a pass or a note: a pass names one or two networks, a note names one. */
interface Claims {
  readonly site: string;
  readonly networks: readonly NamedNetwork[];
}

const PURPOSE = 'tollgate gate network';

/**
 * A pass is `expiry in seconds since 1970, keyed hash of the network, site, address family`, and for a second network its
 * expiry and hash, encrypted and signed in an envelope of the first key. All keys open it, so that passes outlive a key
 * rotation. A note has one network and an id, in an envelope of another kind, so that no note is a pass.
 */
export function createGatePasses(ring: KeyRing, terms: GateOptions['pass']): GatePasses {
  const envelope = createEnvelope('pass', ring);
  const notes = createEnvelope('note', ring);
  const known = createLruCache<readonly string[]>(MOST_CACHED);
  const opened = createLruCache<Claims>(MOST_CACHED);
  const usedNotes = createLruCache<true>(MOST_USED_NOTES);

  /** The keyed hashes of an address's network, under each key; that of the current key first. */
  function networksOf(address: string): readonly string[] {
    const network = networkOf(address, terms);
    let hashes = known.get(network);
    if (hashes === undefined) {
      hashes = ring.all.map((key) => keyedHash(key.derive(PURPOSE), network).toString('hex'));
      known.set(network, hashes);
    }
    return hashes;
  }

  /** The text of a pass or note whose first network is that of the holder. */
  function write({ site, address }: KnownHolder, expires: number, second?: NamedNetwork): string {
    const first = `${expires} ${networksOf(address)[0]} ${site} ${familyOf(address)}`;
    return second === undefined ? first : `${first} ${second.expires} ${second.hash}`;
  }

  /** Opens a pass, once: a visitor sends it with every request. Invalid ones are not cached. */
  function claimsOf(pass: string): Claims | null {
    const remembered = opened.get(pass);
    if (remembered !== undefined) return remembered;
    const claims = readClaims(envelope.open(pass));
    if (claims !== null) opened.set(pass, claims);
    return claims;
  }

  /** The network of a valid note, and the id of the note, which has several spellings. */
  function noted(note: string, site: string, nowMs: number) {
    const text = notes.open(note);
    const claims = readClaims(text);
    const id = text?.split(' ')[4] ?? '';
    if (claims?.site !== site || usedNotes.get(id) !== undefined) return undefined;
    const network = claims.networks.find(({ expires }) => expires * 1000 > nowMs);
    return network === undefined ? undefined : { id, network };
  }

  /** The network of a family with the latest expiry in the passes. */
  function carried(passes: readonly string[], family: Family, site: string, nowMs: number) {
    const named = passes.flatMap((pass) => {
      const claims = claimsOf(pass);
      return claims?.site === site ? claims.networks : [];
    });
    return named
      .filter((network) => network.family === family && network.expires * 1000 > nowMs)
      .sort((one, other) => other.expires - one.expires)[0];
  }

  return {
    seconds: terms.seconds,
    note(holder, nowMs) {
      const text = write(holder, Math.floor(nowMs / 1000) + NOTE_SECONDS);
      return notes.seal(`${text} ${randomHex(NOTE_ID_BYTES)}`);
    },
    isFresh: (note, site, nowMs) => noted(note, site, nowMs) !== undefined,
    issue(holder, nowMs, { note = '', passes = [] } = {}) {
      const { site, address } = holder;
      const expires = Math.floor(nowMs / 1000) + terms.seconds;
      const other = otherThan(familyOf(address));
      const ofPage = noted(note, site, nowMs);
      if (ofPage?.network.family !== other) {
        return envelope.seal(write(holder, expires, carried(passes, other, site, nowMs)));
      }
      usedNotes.set(ofPage.id, true);
      return envelope.seal(write(holder, expires, { ...ofPage.network, expires }));
    },
    problemOf(pass, { site, address }, nowMs) {
      const claims = claimsOf(pass);
      if (claims === null) return 'forged';
      if (claims.site !== site) return 'other_site';
      const here = address === null ? [] : networksOf(address);
      const fitting = claims.networks.find(({ hash }) => here.includes(hash));
      const isAlive = ({ expires }: NamedNetwork) => expires * 1000 > nowMs;
      if (fitting !== undefined) return isAlive(fitting) ? null : 'expired';
      return claims.networks.some(isAlive) ? 'other_network' : 'expired';
    },
  };
}

function readClaims(text: string | null): Claims | null {
  const [expires, hash, site, written, secondExpires, secondHash] = text?.split(' ') ?? [];
  if (expires === undefined || hash === undefined || site === undefined) return null;
  const family = written === '4' || written === '6' ? written : null;
  const networks: NamedNetwork[] = [{ family, hash, expires: Number(expires) }];
  if (family !== null && secondExpires !== undefined && secondHash !== undefined) {
    networks.push({ family: otherThan(family), hash: secondHash, expires: Number(secondExpires) });
  }
  return { site, networks };
}

const otherThan = (family: Family): Family => (family === '4' ? '6' : '4');

const familyOf = (address: string): Family => (address.includes(':') ? '6' : '4');

/**
 * Returns the network of a normalised address, such as `203.0.113.0/24`; `any` if it has no bits, in both families.
 * @param bits the length of its prefix: 8 to 32 for IPv4, 32 to 64 for IPv6, or 0
 */
export function networkOf(
  address: string,
  { ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number },
): string {
  const isIpv6 = address.includes(':');
  if ((isIpv6 ? ipv6 : ipv4) === 0) return 'any';
  if (!isIpv6) return `${cut(address.split('.').map(Number), ipv4, 8).join('.')}/${ipv4}`;
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
