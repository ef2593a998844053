// Public keys from a URL, for services that verify access tokens without a secret.

import { type PublicKey, readJwks } from '@tollgate/shared/crypto';

/** Logger functions used by this file. */
interface RemoteKeysLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Public keys fetched from a URL. */
interface RemoteKeys {
  /** Returns the current keys, the same array until they change; refetches old ones in the background. */
  keys(): readonly PublicKey[];
  /**
   * Fetches the keys; resolves on success and on failure. Returns undefined shortly after the last fetch: then its keys
   * apply. Never rejects.
   */
  refresh(): Promise<void> | undefined;
  /** Aborts a request in flight, and sends no further ones. */
  stop(): void;
}

/** Key age for a refetch, in milliseconds. */
export const REFRESH_AFTER_MS = 300_000;
/** Maximum key age while the URL does not respond, in milliseconds. */
export const KEEP_MS = 3_600_000;
/** Minimum interval between two requests, in milliseconds: after a success, and after a failure. */
export const COOLDOWN_MS = { found: 30_000, failed: 5000 } as const;

const TIMEOUT_MS = 2000;
const MAX_BYTES = 65_536;
const NO_KEYS: readonly PublicKey[] = [];

/**
 * Starts to follow the keys of a URL: `keys` is empty until the first response, which `refresh` waits for.
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
      if (hasFailed) log.info({ keys: known.length }, 'the public keys of access tokens were fetched again');
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

/** @throws Error unless the URL responds in time with a key set that has a usable key */
async function fetchKeys(url: string, stopped: AbortSignal): Promise<PublicKey[]> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the status is ${response.status}`);
  }
  const keys = readJwks(JSON.parse(await readText(response)));
  if (keys.length === 0) throw new Error('there is no usable key');
  return keys;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop aborts the request.
    if (bytes > MAX_BYTES) throw new Error(`the response has more than ${MAX_BYTES} bytes`);
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
