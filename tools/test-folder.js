// Where tests write: into memory where there is enough of it, because a disk makes databases wait for every commit.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { constants, freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'tollgate-tests-';
/** The type of tmpfs, in statfs(2). */
const tmpfsType = 0x01021994;
/** A run of all tests writes less than a quarter of this. */
const neededBytes = 4_000_000_000;
/** What must be free of the machine, for the programs of the tests as well. */
const neededMemory = 8_000_000_000;

/** A run takes minutes. Its number alone does not tell whether it runs: that may be one of another container. */
const longestMs = 60 * 60 * 1000;

/**
 * Makes a folder in memory for the temporary files of a run, which is removed when this process ends.
 * @returns {Readonly<Record<string, string>>} variables for the processes of the run; none where the person who started it
 * named a folder, or memory is short
 */
export function provideTestFolder() {
  if (process.env.TMPDIR) return {};
  try {
    removeForgotten();
    if (!isRoomy()) return {};
    const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`));
    removeAtEnd(folder);
    // PostgreSQL runs as another user.
    chmodSync(folder, 0o755);
    return mayExecute(folder) ? { TMPDIR: folder } : {};
  } catch {
    return {};
  }
}

function isRoomy() {
  const { type, bavail, bsize } = statfsSync(memory);
  const available = process.availableMemory?.() ?? freemem();
  return type === tmpfsType && bavail * bsize >= neededBytes && available >= neededMemory;
}

function removeAtEnd(folder) {
  process.once('exit', () => tryToRemove(folder));
  // Without a listener a signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Removes what runs have left that were killed. */
function removeForgotten() {
  for (const name of readdirSync(memory).filter((name) => name.startsWith(prefix))) {
    const folder = join(memory, name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? {};
    const isOld = mtimeMs < Date.now() - longestMs;
    if (isOld && !isRunning(Number.parseInt(name.slice(prefix.length), 10))) tryToRemove(folder);
  }
}

function tryToRemove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // It may be another user's, or a process of the tests may still write.
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Containers often have this folder without the right to execute what is in it. */
function mayExecute(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  return spawnSync(program).status === 0;
}
