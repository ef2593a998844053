// Looks at a file before LMDB does.

import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Where the first page of every LMDB file has its mark, in bytes, and that mark. */
const MARK_AT = 24;
const MARK = 0xbeefc0de;

/**
 * Refuses a file that is not LMDB's: opening one ends the process with a segmentation fault and throws nothing.
 * A file that is missing or empty is fine.
 *
 * @throws Error saying what is wrong, or what the file system says
 */
export function checkDatabaseFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // What is wrong with a folder LMDB says itself.
  if (found === undefined || !found.isFile() || found.size === 0) return;
  const file = openSync(path, 'r');
  try {
    const mark = Buffer.alloc(4);
    readSync(file, mark, 0, mark.length, MARK_AT);
    if (mark.readUInt32LE() !== MARK) throw new Error('the file is no database');
  } finally {
    closeSync(file);
  }
}
