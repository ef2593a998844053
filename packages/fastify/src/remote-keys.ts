// The public keys of an address, for services that verify access tokens without a secret.

import { type PublicKey, readJwks } from '@tollgate/shared/crypto';

/** The part of a logger that this file uses. */
export interface RemoteKeysLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Public keys that follow those of an address. */
export interface RemoteKeys {
  /** Returns the keys known now, the same array until they change; fetches old ones again in the background. */
  keys(): readonly PublicKey[];
  /**
   * Looks whether there are other keys; resolves when it has, also if that failed. Returns undefined shortly after the last
   * look, which then decides. Never rejects.
   */
  refresh(): Promise<void> | undefined;
  /** Ends a request that is under way, and makes no other. */
  stop(): void;
}

/** How old keys may be before they are fetched again, in milliseconds. */
export const REFRESH_AFTER_MS = 300_000;
/** How long keys stay in use while their address does not answer, in milliseconds. */
export const KEEP_MS = 3_600_000;
/** Shortest times between two requests, in milliseconds: after one that succeeded, and after one that failed. */
export const COOLDOWN_MS = { found: 30_000, failed: 5000 } as const;

const TIMEOUT_MS = 2000;
const MAX_BYTES = 65_536;
const NO_KEYS: readonly PublicKey[] = [];

/**
 * Starts to follow the keys of an address: `keys` is empty until the first answer, which `refresh` waits for.
 * @param clock milliseconds of a monotonic clock
 */
export function followRemoteKeys(
  url: string,
  log: RemoteKeysLog,
  clock: () => number = () => performance.now(),
): RemoteKeys {
  const stopping = new AbortController();
  let known = NO_KEYS;
  let fetchedMs = Number.NEGATIVE_INFINITY;
  let triedMs = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  let fetching: Promise<void> | undefined;

  async function look(): Promise<void> {
    triedMs = clock();
    try {
      const found = await fetchKeys(url, stopping.signal);
      if (!areEqual(found, known)) known = found;
      fetchedMs = clock();
      if (hasFailed) log.info({ keys: known.length }, 'the public keys of access tokens are known again');
      hasFailed = false;
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!hasFailed) log.warn({ err: error, url }, 'the public keys of access tokens cannot be fetched');
      hasFailed = true;
    } finally {
      fetching = undefined;
    }
  }
  const refresh = () => {
    if (fetching !== undefined || stopping.signal.aborted) return fetching;
    if (clock() - triedMs < (hasFailed ? COOLDOWN_MS.failed : COOLDOWN_MS.found)) return undefined;
    fetching = look();
    return fetching;
  };
  refresh();
  return {
    keys() {
      const ageMs = clock() - fetchedMs;
      if (ageMs > REFRESH_AFTER_MS) refresh();
      if (ageMs > KEEP_MS) known = NO_KEYS;
      return known;
    },
    refresh,
    stop: () => stopping.abort(),
  };
}

/** @throws Error if the address does not answer in time with a set of keys of which one can be used */
async function fetchKeys(url: string, stopped: AbortSignal): Promise<PublicKey[]> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the status is ${response.status}`);
  }
  const keys = readJwks(JSON.parse(await readText(response)));
  if (keys.length === 0) throw new Error('there is no key that can be used');
  return keys;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop ends the request.
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function areEqual(some: readonly PublicKey[], others: readonly PublicKey[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, key }, at) => others[at]?.id === id && others[at]?.key.equals(key))
  );
}
