// Creates folders and files that only their owner may read.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigurationError } from '../schemas/configuration-error.js';

const OTHERS = 0o077;

/** Explanations by error code of the operating system; each follows the name of a folder. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it, or a folder above it, is a file',
  ENOTDIR: 'it, or a folder above it, is a file',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'no folder can be created there',
  ENOSPC: 'the disk is full',
};

/**
 * Creates a folder and its missing parents with mode 0700. An existing folder keeps its mode.
 * @throws Error of the file system
 */
function makePrivateFolder(path: string): void {
  const exists = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (exists()) return;
  // Not with `recursive`, which never returns below /proc.
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!exists()) throw error;
  }
}

/** The LMDB files of earlier versions, and their replacements. */
const EARLIER_FILES = { 'users.mdb': 'users.db', 'tollgate.mdb': 'tollgate.db' };

/**
 * Creates the folder of `DATA_DIR` and checks that this process may create files in it. Users or sessions of an earlier
 * version must not seem lost: a folder with only its files is rejected.
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
      `DATA_DIR must be a writable folder, not ${path}: ${REASONS[code] ?? message}`,
    ]);
  }
  for (const [earlier, present] of Object.entries(EARLIER_FILES)) {
    if (!existsSync(join(path, earlier)) || existsSync(join(path, present))) continue;
    throw new ConfigurationError([
      `DATA_DIR contains ${earlier} of an earlier version, which this one cannot read: move it away to start anew, see docs/operations/embedded-store.md`,
    ]);
  }
}

/**
 * Writes a new file with mode 0600, and creates its folder. A file that could not be written completely is removed.
 * @param write adds the contents to the empty file
 * @throws Error of the file system, also if the file exists; errors of `write`
 */
export function writePrivateFile(path: string, write: () => void): void {
  makePrivateFile(path);
  try {
    write();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/**
 * Creates an empty file with mode 0600, and its folder.
 * @throws Error of the file system, also if the file exists
 */
function makePrivateFile(path: string): void {
  makePrivateFolder(dirname(path));
  closeSync(openSync(path, 'wx', 0o600));
}

/**
 * Creates a database file with mode 0600, because SQLite itself would make it readable by everyone, or removes the
 * permissions of others from an existing one of this user. SQLite gives the files beside it the same mode.
 * @throws Error of the file system
 */
export function makePrivateDatabase(path: string): void {
  try {
    makePrivateFile(path);
  } catch (error) {
    // Never opens an existing file: closing it would release the locks that SQLite holds on it in this process.
    if (!existsSync(path)) throw error;
  }
  for (const file of filesOpenToOthers(path)) {
    try {
      chmodSync(file, statSync(file).mode & ~OTHERS & 0o777);
    } catch {
      // The file belongs to another user; `watchStore` reports it.
    }
  }
}

/** Returns the files of a database that users other than the owner may read or write. */
export function filesOpenToOthers(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`].filter(isOpenToOthers);
}

/** Windows has other permissions and always reports that everyone has access. */
function isOpenToOthers(path: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0;
}
