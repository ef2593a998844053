// Rotates an audit file by day, and removes rotated files by age. Several processes may write to one file.

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** How long lines are kept, and the time. */
export interface AuditRetention {
  /** Days, from 1. A rotated file is removed this many days after the day of its last line. */
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** The rotation of one file. */
export interface AuditRotation {
  /**
   * Renames the file to `PATH.YYYY-MM-DD.xxxx`, the day of its last line in UTC, if its first line is from an earlier day,
   * and removes rotated files that are too old. Never throws: a file that cannot be renamed is written on.
   */
  rotate(): void;
  /** The same, once a day: for the time before a line is written. */
  rotateDaily(): void;
}

/** How often a process looks for a due rotation without writing, in milliseconds. */
export const ROTATION_CHECK_MS = 3_600_000;

const DAY_MS = 86_400_000;

/** The first line of a file is read up to its time. */
const HEAD_BYTES = 200;

const FIRST_TIME = /"time":"(\d{4}-\d\d-\d\d)T/;

/** @throws Error if the folder does not allow renaming */
export function createAuditRotation(path: string, { days, clock = Date.now }: AuditRetention): AuditRotation {
  const folder = dirname(path);
  accessSync(folder, constants.W_OK | constants.X_OK);
  /** The file whose first day is known, by its identity. */
  let known: { readonly file: string; readonly day: number } | undefined;

  function isDue(nowMs: number): string | undefined {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || found.size === 0) return undefined;
    const file = `${found.dev}:${found.ino}`;
    if (known?.file !== file) known = { file, day: dayOf(firstTimeMs(path) ?? found.mtimeMs) };
    return known.day < dayOf(nowMs) ? dateOf(Math.min(found.mtimeMs, nowMs)) : undefined;
  }

  let checkedDay: number | undefined;
  const rotation: AuditRotation = {
    rotateDaily() {
      if (dayOf(clock()) !== checkedDay) rotation.rotate();
    },
    rotate() {
      const nowMs = clock();
      checkedDay = dayOf(nowMs);
      try {
        const date = isDue(nowMs);
        // No other process renames to this name: if two rotate at once, one renames the new file of the other, and no line
        // is lost.
        if (date !== undefined) renameSync(path, `${path}.${date}.${randomBytes(2).toString('hex')}`);
        for (const name of rotatedFiles(path)) {
          const lastMs = Date.parse(name.slice(basename(path).length + 1, -5));
          if (dayOf(lastMs) + days < dayOf(nowMs)) rmSync(join(folder, name), { force: true });
        }
      } catch {
        // Another process was faster, or the folder has become read-only: the next check tries again.
      }
    },
  };
  return rotation;
}

/** The names of the files that `rotate` has renamed, the oldest first. */
function rotatedFiles(path: string): string[] {
  const start = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter(
      (name) => name.startsWith(start) && /^\d{4}-\d\d-\d\d\.[0-9a-f]{4}$/.test(name.slice(start.length)),
    )
    .sort();
}

function firstTimeMs(path: string): number | undefined {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const text = head.toString('latin1', 0, readSync(file, head, 0, HEAD_BYTES, 0));
    const [, date] = FIRST_TIME.exec(text) ?? [];
    return date === undefined ? undefined : Date.parse(date);
  } finally {
    closeSync(file);
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
