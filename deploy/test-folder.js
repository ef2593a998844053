// Where tests write: into memory where there is enough of it, because a disk makes databases wait for every commit.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'tollgate-tests-';
/** The type of tmpfs, in statfs(2). */
const tmpfsType = 0x01021994;
/** A run of all tests writes less than a quarter of this. */
const neededBytes = 4_000_000_000;
/** What must be free of the machine, for the programs of the tests as well. */
const neededMemory = 8_000_000_000;

/**
 * Makes a folder in memory for the temporary files of a run, which is removed when this process ends.
 * @returns {Readonly<Record<string, string>>} variables for the processes of the run; none where the person who started it
 * named a folder, or memory is short
 */
export function provideTestFolder() {
  if (process.env.TMPDIR || !isRoomy()) return {};
  removeForgotten();
  const folder = join(memory, `${prefix}${process.pid}`);
  // PostgreSQL runs as another user.
  mkdirSync(folder, { mode: 0o755 });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return mayExecute(folder) ? { TMPDIR: folder } : {};
}

function isRoomy() {
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    return type === tmpfsType && bavail * bsize >= neededBytes && freemem() >= neededMemory;
  } catch {
    return false;
  }
}

/** Removes what a run has left that was killed. */
function removeForgotten() {
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))))
      rmSync(join(memory, name), { recursive: true, force: true });
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
