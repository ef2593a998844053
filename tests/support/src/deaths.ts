// Kills processes while three of them write to one embedded store.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEmbeddedStore } from '@tollgate/shared/store';
import type { NodeProgram } from './pid-namespace.js';

const WRITER = fileURLToPath(new URL('./store-writer.js', import.meta.url));

/** Ways in which a process ends without closing its store. */
export const DEATHS = ['exit', 'throw', 'SIGTERM', 'SIGKILL'] as const;
export type Death = (typeof DEATHS)[number];

/** The effects of several deaths on the other processes and the store. */
interface DeathReport {
  /** Processes that did not end as instructed. */
  readonly stuck: number;
  /** Other processes that also ended. */
  readonly otherDeaths: number;
  /** The longest time without a commit of another process, in milliseconds. */
  readonly longestPauseMs: number;
  /** Acknowledged commits of all processes. */
  readonly commits: number;
  /** Acknowledged commits that are not in the store. */
  readonly lost: number;
}

/** Surviving processes. */
const SURVIVORS = 2;
/** Pause between two writes of a survivor, so that processes start in reasonable time beside it. */
const SURVIVOR_PAUSE_MS = 8;
const STUCK_MS = 5000;
/** Maximum time for which a process writes before its death. */
const MAX_LIFE_MS = 60;

/** The parent's view of a writer: a commit is acknowledged when its number has arrived. */
interface Writer {
  readonly child: ChildProcess;
  readonly name: string;
  acknowledged: number;
  lastMs: number;
  longestMs: number;
}

/**
 * Lets `count` processes die in one way, one after the other, beside two survivors.
 * @param folder an empty folder
 * @param program starts Node, if `node` alone is not enough
 */
export async function dieOften(
  folder: string,
  way: Death,
  count: number,
  program?: NodeProgram,
): Promise<DeathReport> {
  const path = join(folder, 'store');
  const startWriter = (name: string, death?: Death) => startWriterOf(path, name, death, program);
  const survivors = Array.from({ length: SURVIVORS }, (_, at) => startWriter(`survivor-${at}`));
  await Promise.all(survivors.map(firstCommit));
  const dead: Writer[] = [];
  let stuck = 0;
  for (let at = 0; at < count; at++) {
    const writer = startWriter(`${way}-${at}`, way);
    await Promise.race([firstCommit(writer), once(writer.child, 'exit')]);
    await pause(Math.random() * MAX_LIFE_MS);
    if (!(await end(writer, way))) stuck += 1;
    dead.push(writer);
  }
  const pauses = survivors.map(({ longestMs, lastMs }) => Math.max(longestMs, performance.now() - lastMs));
  const otherDeaths = survivors.filter(({ child }) => isGone(child)).length;
  for (const survivor of survivors) await end(survivor, 'SIGKILL');
  const all = [...survivors, ...dead];
  return {
    stuck,
    otherDeaths,
    longestPauseMs: Math.round(Math.max(...pauses)),
    commits: all.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    lost: await countLost(path, all),
  };
}

function startWriterOf(path: string, name: string, way?: Death, program?: NodeProgram): Writer {
  // The planned error of `throw` would fill the screen.
  const stderr = way === 'throw' ? 'ignore' : 'inherit';
  const pauses = way === undefined ? [String(SURVIVOR_PAUSE_MS)] : [];
  const child = fork(WRITER, [path, name, ...pauses], {
    // This process's options, such as source maps, would delay each start.
    execArgv: [],
    ...program,
    stdio: ['ignore', 'ignore', stderr, 'pipe', 'ipc'],
  });
  const writer: Writer = { child, name, acknowledged: 0, lastMs: performance.now(), longestMs: 0 };
  let rest = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    const nowMs = performance.now();
    if (writer.acknowledged > 0) writer.longestMs = Math.max(writer.longestMs, nowMs - writer.lastMs);
    writer.lastMs = nowMs;
    for (const line of lines) writer.acknowledged = Number(line);
  });
  return writer;
}

async function firstCommit(writer: Writer): Promise<void> {
  while (writer.acknowledged === 0 && !isGone(writer.child)) await pause(2);
}

function isGone({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Kills a writer in a given way, and returns whether it died. */
async function end({ child }: Writer, way: Death): Promise<boolean> {
  if (isGone(child)) return true;
  const gone = once(child, 'close');
  if (way === 'exit' || way === 'throw') child.send(way);
  else child.kill(way);
  const timeout = new AbortController();
  const died = await Promise.race([
    gone.then(() => true),
    pause(STUCK_MS, false, { signal: timeout.signal }).catch(() => false),
  ]);
  timeout.abort();
  if (died) return true;
  child.kill('SIGKILL');
  await gone;
  return false;
}

/** Each writer numbers its commits: all up to the acknowledged one must be there. */
async function countLost(path: string, writers: readonly Writer[]): Promise<number> {
  const store = openEmbeddedStore(path);
  let lost = 0;
  try {
    for (const { name, acknowledged } of writers) {
      lost += Math.max(0, acknowledged - Number((await store.read(name)) ?? 0));
    }
  } finally {
    await store.close();
  }
  return lost;
}
