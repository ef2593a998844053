// Tells whether a file lies where the processes of one machine can share it, and they alone.

import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is known of the place of a file. */
export interface FilePlace {
  /** The network file system that the file is on, such as `NFS`; undefined on a disk of this machine. */
  readonly network: string | undefined;
  /** Whether a program serves the file system (FUSE): it may be a disk of this machine, or a network. */
  readonly isFuse: boolean;
  /** Whether the file was mounted without its folder: the files that SQLite keeps beside it are then others. */
  readonly isMountedAlone: boolean;
  /** Whether the file has a second name (a hard link), beside which SQLite would keep other files. */
  readonly hasSecondName: boolean;
}

/** The numbers of `statfs(2)`, from the headers of Linux. */
const NETWORKS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  16914839: '9p',
  12805120: 'CephFS',
  198183888: 'Lustre',
  1397113167: 'AFS',
};
const FUSE = 0x65735546;

/** Looks at a file, or at the folder in which it would be. Outside Linux only its names are known. */
export function lookAtPlace(path: string): FilePlace {
  const type = process.platform === 'linux' ? statfsSync(existingPart(path)).type >>> 0 : 0;
  return {
    network: NETWORKS[type],
    isFuse: type === FUSE,
    isMountedAlone: mountPoints().includes(path),
    hasSecondName: (statSync(path, { throwIfNoEntry: false })?.nlink ?? 1) > 1,
  };
}

function existingPart(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingPart(dirname(path));
}

/** Where something is mounted in this process's view of the file systems; empty if the system does not tell. */
function mountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    // Blanks in a path are written as \040.
    return lines.map((line) => (line.split(' ')[4] ?? '').replaceAll('\\040', ' '));
  } catch {
    return [];
  }
}
