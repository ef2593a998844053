// The disk under the embedded store is full, and then has space again.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { defineDrill } from '../../drill.js';
import { onFiles } from '../../servers/embedded.js';
import type { Lab } from '../../servers/lab.js';
import { findProgram, MissingProgramError } from '../../servers/server-process.js';

const DISK_BYTES = 32 * 2 ** 20;
const BALLAST = 'ballast';

export default defineDrill({
  name: 'disk-full',
  title: 'The disk of embedded store and user file is full for 6 s.',
  open: onFiles({ makeFolder: mountSmallDisk }),
  fault: async ({ stage }) => fill(join(stage.folder, BALLAST)),
  holdMs: 6_000,
  recovery: async ({ stage }) => rmSync(join(stage.folder, BALLAST)),
  lastFailureMs: 1_500,
});

/** A separate file system, in memory: only root may mount one. */
function mountSmallDisk(lab: Lab, folder: string): void {
  if (process.getuid?.() !== 0) throw new MissingProgramError('requires root, for a small file system');
  const [mount, umount] = [findProgram(lab, ['mount']), findProgram(lab, ['umount'])];
  mkdirSync(folder);
  const options = { stdio: 'ignore' } as const;
  execFileSync(mount, ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0700`, 'drill', folder], options);
  lab.onClose(() => execFileSync(umount, [folder], options));
}

/** Writes until the disk accepts no further byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  let size = 2 ** 16;
  while (size > 0) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size = Math.floor(size / 2);
    }
  }
  closeSync(file);
}
