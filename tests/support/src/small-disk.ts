// A file system of a few megabytes in memory, for tests of a full disk.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { tempDir } from './temp-dir.js';

/** A mounted file system. */
interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Frees the space taken by `fill`, or so many bytes of it. */
  free(bytes?: number): void;
}

const CHUNKS = [1 << 16, 1 << 12, 1];

/** Mounts one until the end of the test; returns undefined where that is not permitted. */
export function mountSmallDisk(t: Pick<Test, 'teardown'>, megabytes: number): SmallDisk | undefined {
  const folder = tempDir(t);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (status !== 0) return undefined;
  t.teardown(() => spawnSync('umount', ['--lazy', folder]));
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      for (const bytes of CHUNKS) while (tryToWrite(file, bytes));
      closeSync(file);
    },
    free(bytes) {
      if (bytes === undefined) rmSync(filler);
      else truncateSync(filler, Math.max(0, statSync(filler).size - bytes));
    },
  };
}

function tryToWrite(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
