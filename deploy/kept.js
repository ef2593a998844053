// What takes long to make and is the same for every clone: it is made once, in the user's cache.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readIfThere, root } from './prepare.js';

/** The cache of the user. */
const userCache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
/** Says what a folder held when it was complete. */
const stampName = '.tollgate-complete';
const dayMs = 24 * 60 * 60 * 1000;
/** What no run has used for so long goes when something new comes; so does what a run that was ended has begun. */
const unusedMs = { whole: 30 * dayMs, part: dayMs };

/**
 * Returns a folder as an earlier run of any clone has made it, else makes it. What is there counts only as long as it
 * is whole: no file is missing, changed or added.
 * @param {string} name says everything that the contents depend on
 * @param {(part: string) => Promise<boolean>} make fills a folder, which gets its name afterwards; `false` when it
 * could not
 * @param {object} [options]
 * @param {(folder: string) => Promise<boolean>} [options.works] whether what is there still works on this machine
 * @param {string} [options.cache] the folder for all clones; where it cannot be written, this clone has its own
 * @param {boolean} [options.isShared] whether it is made for other clones alone: then nothing is made without a cache
 * @returns {Promise<string | undefined>} the folder; undefined when it cannot be made
 */
export async function keep(name, make, options = {}) {
  const { works = async () => true, cache = join(userCache, 'tollgate'), isShared = false } = options;
  const isWritable = canWrite(cache);
  if (isShared && !isWritable) return undefined;
  const place = isWritable ? cache : ownFolder();
  const folder = join(place, name);
  const isRight = async () => isWhole(folder) && (await works(folder));
  if (await isRight()) {
    tryTo(() => utimesSync(join(folder, stampName), new Date(), new Date()));
    return folder;
  }
  removeUnused(place);
  const part = mkdtempSync(join(place, `${name}.part-`));
  // Dates the part: the folder itself may get the time of what is unpacked into it, as from `dpkg -x`.
  writeFileSync(join(part, stampName), '');
  try {
    if (!(await make(part))) return undefined;
    writeFileSync(join(part, stampName), stateOf(part));
    // Another run may have been quicker, and may be using it.
    if (await isRight()) return folder;
    rmSync(folder, { recursive: true, force: true });
    renameSync(part, folder);
    return folder;
  } catch (error) {
    // It may also have been quicker in between.
    if (await isRight()) return folder;
    throw error;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function canWrite(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Without a cache what is made serves this clone alone. */
function ownFolder() {
  const own = join(root, 'node_modules', '.tollgate-kept');
  mkdirSync(own, { recursive: true });
  return own;
}

function removeUnused(place) {
  for (const name of readdirSync(place)) {
    const folder = join(place, name);
    const oldestMs = Date.now() - (name.includes('.part-') ? unusedMs.part : unusedMs.whole);
    const { mtimeMs } =
      statSync(join(folder, stampName), { throwIfNoEntry: false }) ??
      statSync(folder, { throwIfNoEntry: false }) ??
      {};
    if (mtimeMs < oldestMs) tryTo(() => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Keeps the cache in order where this user may: what another one has made serves all the same. */
function tryTo(act) {
  try {
    act();
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(error.code)) throw error;
  }
}

function isWhole(folder) {
  const stamp = readIfThere(join(folder, stampName));
  return stamp !== undefined && stamp === stateOf(folder);
}

/** The hash of names, sizes and times: to read all that is kept would take as long as some of it takes to make. */
function stateOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== stampName)
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const path of files) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path.slice(folder.length)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
