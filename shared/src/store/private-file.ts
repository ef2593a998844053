// Folders and files that only their owner may read.

import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigurationError } from '../schemas/configuration-error.js';

const OTHERS = 0o077;

/** By the code of the operating system, what follows the name of a folder that cannot be used. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it, or a folder above it, is a file',
  ENOTDIR: 'it, or a folder above it, is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
};

/**
 * Makes a folder, and those above it that are missing, with mode 0700; one that is there keeps its own.
 * @throws Error as the file system says it
 */
export function makePrivateFolder(path: string): void {
  const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  // Not with `recursive`: below /proc that never ends.
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw error;
  }
}

/**
 * Makes the folder of `DATA_DIR` and tries whether files can be made in it.
 * @param path absolute
 * @throws ConfigurationError with one line that begins with the variable
 */
export function openDataFolder(path: string): void {
  try {
    makePrivateFolder(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ConfigurationError([
      `DATA_DIR must be a folder that can be written, not ${path}: ${REASONS[code] ?? message}`,
    ]);
  }
}

/**
 * Makes an LMDB file and its lock file with mode 0600, which LMDB itself would let everybody read, and takes the rights
 * of others from those that are there, where they are this user's.
 * @throws Error as the file system says it
 */
export function makePrivateDatabase(path: string): void {
  makePrivateFolder(dirname(path));
  for (const each of filesOf(path)) {
    closeSync(openSync(each, 'a', 0o600));
    try {
      if (isOpenToOthers(each)) chmodSync(each, statSync(each).mode & ~OTHERS & 0o777);
    } catch {
      // Another user's; `warnOfStore` tells it.
    }
  }
}

/** The files of an LMDB database that others than their owner may read or write. */
export function filesOpenToOthers(path: string): string[] {
  return filesOf(path).filter(isOpenToOthers);
}

function filesOf(path: string): string[] {
  return [path, `${path}-lock`];
}

/** Windows has other rights, and always says that everybody may. */
function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}
