// Writes to a store continuously, and records acknowledged writes and failures.

import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@tollgate/shared/store';

const KEEP_MS = 600_000;
const PARALLEL = 4;
const PAUSE_MS = 10;

/** The running writers. Times are milliseconds of `performance.now()`. */
interface Writers {
  /** When each acknowledged key was written. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** When writes failed. */
  readonly failedAtMs: readonly number[];
  /** The longest write, in milliseconds. */
  readonly longestMs: number;
  /** Resolves when current writes have ended. */
  stop(): Promise<void>;
  /** Acknowledged keys that cannot be read on a store. */
  lost(on: Pick<Store, 'read'>): Promise<string[]>;
}

/** Starts four writers with at most a hundred writes a second each, every write under a new key. */
export function keepWriting(store: Pick<Store, 'exchange'>): Writers {
  const acknowledged = new Map<string, number>();
  const failedAtMs: number[] = [];
  let longestMs = 0;
  let isStopped = false;
  let written = 0;

  const write = async (): Promise<void> => {
    const key = `drill:{${written++}}`;
    const startMs = performance.now();
    try {
      await store.exchange(key, 'written', KEEP_MS);
      acknowledged.set(key, performance.now());
    } catch {
      failedAtMs.push(performance.now());
    }
    longestMs = Math.max(longestMs, performance.now() - startMs);
  };
  const writer = async (): Promise<void> => {
    while (!isStopped) {
      await write();
      await pause(PAUSE_MS);
    }
  };
  const writers = Promise.all(Array.from({ length: PARALLEL }, writer));
  return {
    acknowledged,
    failedAtMs,
    get longestMs() {
      return longestMs;
    },
    async stop() {
      isStopped = true;
      await writers;
    },
    async lost(on) {
      const missing: string[] = [];
      for (const key of acknowledged.keys()) {
        if ((await on.read(key)) === undefined) missing.push(key);
      }
      return missing;
    },
  };
}
