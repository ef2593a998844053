// The verified names of addresses: results of a reverse lookup that the forward lookup confirms.

import { BlockList, isIP } from 'node:net';
import { createLruCache } from '@tollgate/shared/store';

/** Looks up names; both methods throw if there is no response. `systemResolver` makes one from `node:dns/promises`. */
export interface NameResolver {
  /** Returns the names of an address (PTR). */
  reverse(address: string): Promise<readonly string[]>;
  /** Returns the addresses of a name (A or AAAA). */
  addressesOf(name: string, family: 4 | 6): Promise<readonly string[]>;
}

/** Bounds of the lookups. */
interface RobotNamesOptions {
  readonly resolver: NameResolver;
  /** Names are looked up forward only below these domains. */
  readonly domains: readonly string[];
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number;
  /** Milliseconds for both lookups of an address together. */
  readonly timeoutMs: number;
  /**
   * Concurrent lookups. When all slots are taken, a network that has two more than another gives one up to it, and as many
   * lookups as there are slots may continue without one until they end.
   */
  readonly mostAtOnce: number;
  /** Concurrent lookups for addresses of one network, including those without a slot. */
  readonly mostOfNetwork: number;
  /** Returns the network of an address. */
  readonly networkOf: (address: string) => string;
  /** Cached addresses. */
  readonly mostCached: number;
}

/** The bounds in production. */
export const ROBOT_NAME_BOUNDS = {
  timeoutMs: 2000,
  mostAtOnce: 50,
  mostOfNetwork: 10,
  mostCached: 10_000,
};

/** How long a result is cached, and how long a failed lookup is not repeated. */
const ANSWER_MS = 3_600_000;
const FAILURE_MS = 60_000;

/** Milliseconds until an address without a slot may retry. */
const NO_PLACE_MS = 2000;

/** Names of an address that are verified. */
const MOST_NAMES = 4;

const NO_NAMES: readonly string[] = [];

/**
 * The verified names of an address below the domains, possibly none; or the milliseconds until a retry, because the lookup
 * failed or got no slot.
 */
export type LookedUp =
  | { readonly names: readonly string[] }
  | { readonly names: null; readonly retryMs: number };

/** Looks up the names of an address. */
export type RobotNames = (address: string) => Promise<LookedUp>;

/** A running lookup. */
interface LookUp {
  readonly network: string;
  /** Takes its slot away. */
  readonly giveUp: () => void;
}

/** Creates the lookup. Each address is looked up once at a time. */
export function createRobotNames(options: RobotNamesOptions): RobotNames {
  const { resolver, domains, clock, networkOf, timeoutMs, mostAtOnce, mostOfNetwork, mostCached } = options;
  const known = createLruCache<{ readonly names: Promise<LookedUp>; untilMs: number }>(mostCached);
  const placed = new Set<LookUp>();
  const displaced = new Set<LookUp>();

  async function verifiedNames(address: string, family: 4 | 6): Promise<readonly string[]> {
    const names = (await resolver.reverse(address)).slice(0, MOST_NAMES).map(plainName);
    const wanted = names.filter((name) => domains.some((domain) => isBelow(name, domain)));
    const verified: string[] = [];
    for (const name of wanted) {
      const addresses = await resolver.addressesOf(name, family).catch(ignoreMissing);
      if (addresses.some((other) => isSame(other, address))) verified.push(name);
    }
    return verified;
  }

  const placesOf = (network: string) => [...placed].filter((other) => other.network === network).length;

  /** Takes a slot, if necessary from the network that has most. Returns whether there was one. */
  function makeRoom(network: string): boolean {
    const running = [...displaced].filter((other) => other.network === network).length + placesOf(network);
    if (running >= mostOfNetwork) return false;
    if (placed.size < mostAtOnce) return true;
    const counts = new Map<string, number>();
    for (const other of placed) counts.set(other.network, (counts.get(other.network) ?? 0) + 1);
    const [greediest = '', most = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
    const oldest = [...placed].find((other) => other.network === greediest);
    if (oldest === undefined || most < placesOf(network) + 2 || displaced.size >= mostAtOnce) return false;
    placed.delete(oldest);
    displaced.add(oldest);
    oldest.giveUp();
    return true;
  }

  return (address) => {
    const family = isIP(address);
    if (family === 0) return Promise.resolve({ names: NO_NAMES });
    const nowMs = clock();
    const remembered = known.get(address);
    if (remembered !== undefined && remembered.untilMs > nowMs) return remembered.names;
    const network = networkOf(address);
    if (!makeRoom(network)) return Promise.resolve({ names: null, retryMs: NO_PLACE_MS });
    let giveUp: (outcome: LookedUp) => void = () => {};
    const displacement = new Promise<LookedUp>((resolve) => {
      giveUp = resolve;
    });
    const lookUp: LookUp = {
      network,
      giveUp() {
        entry.untilMs = clock();
        giveUp({ names: null, retryMs: NO_PLACE_MS });
      },
    };
    placed.add(lookUp);
    const found = within(timeoutMs, verifiedNames(address, family === 6 ? 6 : 4).catch(ignoreMissing))
      .then((names): LookedUp => ({ names }))
      .catch((): LookedUp => {
        entry.untilMs = clock() + FAILURE_MS;
        return { names: null, retryMs: FAILURE_MS };
      })
      .finally(() => {
        placed.delete(lookUp);
        displaced.delete(lookUp);
      });
    const entry = { untilMs: nowMs + ANSWER_MS, names: Promise.race([found, displacement]) };
    known.set(address, entry);
    return entry.names;
  };
}

/** Returns whether a name is a domain or below it. */
export function isBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** A missing name is a result; everything else is a failure. */
function ignoreMissing(error: unknown): readonly string[] {
  const { code } = error as { code?: string };
  if (code === 'ENOTFOUND' || code === 'ENODATA') return NO_NAMES;
  throw error;
}

/** Compares addresses; IPv6 has several spellings. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [isIP(one), isIP(other)];
  if (a === 0 || b === 0) return false;
  const list = new BlockList();
  list.addAddress(one, a === 6 ? 'ipv6' : 'ipv4');
  return list.check(other, b === 6 ? 'ipv6' : 'ipv4');
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the lookup timed out')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Its failure after the end has no receiver.
    work.catch(() => {});
  }
}
