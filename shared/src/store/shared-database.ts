// The LMDB file of an embedded store: opened once per process, and checked before LMDB opens it.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { makePrivateDatabase } from './private-file.js';

/** An open file: values by key, and keys by expiry. */
export interface SharedDatabase {
  readonly root: RootDatabase<string, string>;
  readonly index: Database<string, [number, string]>;
  /** Releases the file; the last release closes it. Call it once. */
  release(): Promise<void>;
}

interface OpenFile extends Pick<SharedDatabase, 'root' | 'index'> {
  holders: number;
}

// If a process opens a file twice, the lmdb package may never finish a write transaction: it does not call the callbacks
// of one handle while the other is busy.
const openFiles = new Map<string, OpenFile>();

/**
 * Opens the file; creates it and its folder if they are missing.
 * @param path absolute
 * @throws Error if the file cannot be opened
 */
export function openSharedDatabase(path: string): SharedDatabase {
  const file = openFiles.get(path) ?? openFile(path);
  openFiles.set(path, file);
  file.holders += 1;
  return {
    root: file.root,
    index: file.index,
    async release() {
      file.holders -= 1;
      if (file.holders > 0) return;
      openFiles.delete(path);
      await file.root.close();
    },
  };
}

function openFile(path: string): OpenFile {
  checkDatabaseFile(path);
  makePrivateDatabase(path);
  const root = open<string, string>({ path, noSubdir: true, encoding: 'string', maxDbs: 2 });
  const index = root.openDB<string, [number, string]>({ name: 'expiry', encoding: 'string' });
  return { root, index, holders: 0 };
}

/** The magic number in the first page of every LMDB file, and its offset in bytes. */
const MAGIC_OFFSET = 24;
const MAGIC = 0xbeefc0de;

/**
 * Refuses a file that is not an LMDB database: LMDB would end the process with a segmentation fault. A missing or empty
 * file is accepted.
 *
 * @throws Error if the file is not a database or cannot be read
 */
export function checkDatabaseFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // LMDB reports a folder itself.
  if (found === undefined || !found.isFile() || found.size === 0) return;
  const file = openSync(path, 'r');
  try {
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, magic.length, MAGIC_OFFSET);
    if (magic.readUInt32LE() !== MAGIC) throw new Error('the file is no database');
  } finally {
    closeSync(file);
  }
}
