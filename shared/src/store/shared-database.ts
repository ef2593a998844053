// The LMDB file of an embedded store, opened once in a process however many ask for it.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';
import { makePrivateDatabase } from './private-file.js';

/** An open file: values by key, and keys by expiry. */
export interface SharedDatabase {
  readonly root: RootDatabase<string, string>;
  readonly index: Database<string, [number, string]>;
  /** Closes the file when nobody else in this process has it open. Once only. */
  release(): Promise<void>;
}

interface OpenFile extends Pick<SharedDatabase, 'root' | 'index'> {
  holders: number;
}

// Opened a second time in one process, LMDB's package may leave a write transaction waiting for ever: the callbacks of
// the one handle are never called while the other is at work.
const openFiles = new Map<string, OpenFile>();

/**
 * Opens the file, making it and its folder when they are missing.
 * @param path absolute
 * @throws whatever is wrong with the file
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
