// The verified names of addresses: what the reverse look-up of an address gives, and the forward look-up confirms.

import { BlockList, isIP } from 'node:net';
import { createLruCache } from '@tollgate/shared/cache/lru-cache.js';

/** Looks up names; both throw if there is no answer. `node:dns/promises` has it, as `systemResolver` makes it. */
export interface NameResolver {
  /** Returns the names of an address (PTR). */
  reverse(address: string): Promise<readonly string[]>;
  /** Returns the addresses of a name (A or AAAA). */
  addressesOf(name: string, family: 4 | 6): Promise<readonly string[]>;
}

/** Bounds of the look-ups. */
export interface RobotNamesOptions {
  readonly resolver: NameResolver;
  /** Names are looked up forward only below these domains. */
  readonly domains: readonly string[];
  /** Milliseconds of a clock that never goes back. */
  readonly clock: () => number;
  /** Milliseconds that both look-ups of an address may take together. */
  readonly timeoutMs: number;
  /** Look-ups at the same time; further addresses have no name until one has ended. */
  readonly mostAtOnce: number;
  /** Look-ups at the same time for addresses of one network, so that nobody with many addresses takes all. */
  readonly mostOfNetwork: number;
  /** Returns the network of an address. */
  readonly networkOf: (address: string) => string;
  /** Addresses whose names are remembered. */
  readonly mostCached: number;
}

/** The bounds in production. */
export const ROBOT_NAME_BOUNDS = {
  timeoutMs: 2000,
  mostAtOnce: 50,
  mostOfNetwork: 10,
  mostCached: 10_000,
};

/** How long an answer holds, and how long a failed look-up is not repeated. */
const ANSWER_MS = 3_600_000;
const FAILURE_MS = 60_000;

/** Names of an address that are looked at. */
const MOST_NAMES = 4;

const NO_NAMES: readonly string[] = [];

/** Returns the verified names of an address below the domains; none if it has none, or if the look-up fails. */
export type RobotNames = (address: string) => Promise<readonly string[]>;

/** Makes the look-up. Each address is looked up once at a time. */
export function createRobotNames(options: RobotNamesOptions): RobotNames {
  const { resolver, domains, clock, networkOf, timeoutMs, mostAtOnce, mostOfNetwork, mostCached } = options;
  const known = createLruCache<{ readonly names: Promise<readonly string[]>; untilMs: number }>(mostCached);
  /** The network of each look-up that runs. */
  const running: string[] = [];

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

  return (address) => {
    const family = isIP(address);
    if (family === 0) return Promise.resolve(NO_NAMES);
    const nowMs = clock();
    const remembered = known.get(address);
    if (remembered !== undefined && remembered.untilMs > nowMs) return remembered.names;
    const network = networkOf(address);
    if (
      running.length >= mostAtOnce ||
      running.filter((other) => other === network).length >= mostOfNetwork
    ) {
      return Promise.resolve(NO_NAMES);
    }
    running.push(network);
    const found = within(timeoutMs, verifiedNames(address, family === 6 ? 6 : 4).catch(ignoreMissing));
    const entry = {
      untilMs: nowMs + ANSWER_MS,
      names: found
        .catch(() => {
          entry.untilMs = clock() + FAILURE_MS;
          return NO_NAMES;
        })
        .finally(() => {
          running.splice(running.indexOf(network), 1);
        }),
    };
    known.set(address, entry);
    return entry.names;
  };
}

/** Returns whether a name is a domain or below it. */
export function isBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

const plainName = (name: string) => name.toLowerCase().replace(/\.$/, '');

/** That there is no such name is an answer; everything else is a failure. */
function ignoreMissing(error: unknown): readonly string[] {
  const { code } = error as { code?: string };
  if (code === 'ENOTFOUND' || code === 'ENODATA') return NO_NAMES;
  throw error;
}

/** Compares addresses, which IPv6 writes in several ways. */
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
    timer = setTimeout(() => reject(new Error('the look-up took too long')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Its failure after the end is nobody's.
    work.catch(() => {});
  }
}
