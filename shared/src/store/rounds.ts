// Repeats a piece of work on a store: at the start, then every so often, and soon again after a round that failed.

import type { Store } from './open-store.js';

export interface RoundOptions {
  /** From the end of a round that succeeded to the next, in milliseconds. */
  readonly everyMs: number;
  /** From the end of a round that failed to the next, in milliseconds; ten seconds unless told. */
  readonly retryMs?: number;
  /** Told of each round that failed. */
  readonly onFailure: (error: unknown) => void;
}

const RETRY_MS = 10_000;

/**
 * Begins with the first round, as soon as the store is connected. No round begins before the one before it has ended,
 * and none keeps the process alive.
 *
 * @returns `stop`, which begins no further round and resolves when the running one has ended
 */
export function startRounds(
  store: Store,
  round: () => Promise<void>,
  { everyMs, retryMs = RETRY_MS, onFailure }: RoundOptions,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    let nextMs = everyMs;
    try {
      await round();
    } catch (error) {
      nextMs = retryMs;
      onFailure(error);
    }
    if (!stopped) timer = setTimeout(next, nextMs).unref();
  }
  function next(): void {
    running = run();
  }
  // A client that is still connecting would refuse the first round.
  const client = store.kind === 'redis' && store.client.status !== 'ready' ? store.client : undefined;
  if (client === undefined) next();
  else client.once('ready', next);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      client?.off('ready', next);
      await running;
    },
  };
}
