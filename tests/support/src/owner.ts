// Owners of a test's resources: the test, its file, or the process in which `npm test` runs one file after the other.

import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Redis } from 'ioredis';
import type { Test } from 'tap';

/** Calls the given functions when it ends, the last first. */
export interface Owner extends Pick<Test, 'teardown'> {
  /** Whether it outlives the file: its resources must not keep the process alive, or they count as left behind. */
  readonly outlivesFiles?: boolean;
}

/** The interface of an `npm test` process for its files. */
export interface Worker {
  /** Calls this once after the last file. */
  onEnd(end: () => Promise<void>): void;
}

/** The process of `npm test`; undefined if a file runs alone. */
export const worker = (globalThis as { [name: symbol]: unknown })[Symbol.for('tollgate.test-worker')] as
  | Worker
  | undefined;

/** Owns resources that all files of a process use. */
export function processOwner({ onEnd }: Worker): Owner {
  const ends: (() => unknown)[] = [];
  onEnd(async () => {
    // An ended resource does not keep the process alive, and must be gone first.
    const alive = setInterval(() => {}, 1_000);
    for (const end of ends.reverse()) await end();
    clearInterval(alive);
  });
  return { outlivesFiles: true, teardown: (end: () => unknown) => void ends.push(end) };
}

/** Lets the process end despite a server and its client, if their owner outlives the file. */
export function release({ outlivesFiles }: Owner, child: ChildProcess, client: Redis): void {
  if (!outlivesFiles) return;
  child.unref();
  (child.stdout as Socket).unref();
  const releaseStream = () => void client.stream?.unref();
  releaseStream();
  client.on('connect', releaseStream);
}
