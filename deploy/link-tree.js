// A second place for the same files: no more than their names is written.
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

/** npm writes this list of a folder's packages in place, which must not reach the other names of the file. */
const rewritten = '.package-lock.json';

/**
 * Makes a folder that has the files of another one as hard links, and its symbolic links as they are. What cannot be linked,
 * as on another disk, is copied.
 * @param {string} from
 * @param {string} to a path where nothing is yet
 */
export function linkTree(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name === rewritten) copyFileSync(source, target);
    else linkFile(source, target);
  }
}

function linkFile(source, target) {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
  }
}
