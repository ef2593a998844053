// The tests' temporary folder: in memory if there is enough, because a disk makes databases wait for every commit.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { constants, freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'tollgate-tests-';
/** Type of tmpfs, in statfs(2). */
const tmpfsType = 0x01021994;
/** A run of all tests writes less than a quarter of this. */
const neededBytes = 4_000_000_000;
/** Memory that must remain free for the machine, including the test programs. */
const neededMemory = 8_000_000_000;

/** A run takes minutes. Its process id alone does not prove that it runs: it may belong to another container. */
const longestMs = 60 * 60 * 1000;

/**
 * Creates a folder in memory for a run's temporary files, removed when this process ends.
 * @returns {Readonly<Record<string, string>>} variables for the run's processes; none if the user chose a folder or memory
 *   is short
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
  // Without a listener, a signal ends the process immediately.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** Removes the folders of killed runs. */
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
    // It may belong to another user, or a test process may still be writing.
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Containers often mount this folder without execute permission. */
function mayExecute(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  return spawnSync(program).status === 0;
}
