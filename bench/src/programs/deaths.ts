// Three processes write to an embedded store while one of them dies, again and again, in every way a process can die.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEmbeddedStore } from '@tollgate/shared/store/embedded-store.js';
import type { Program } from '../program.js';

const WRITER = fileURLToPath(new URL('../servers/store-writer.js', import.meta.url));

const WAYS = ['exit', 'throw', 'SIGTERM', 'SIGKILL'] as const;
type Way = (typeof WAYS)[number];

const COUNT = 1000;
/** Processes that live on. */
const SURVIVORS = 2;
/** The longest time that a survivor may go without a commit. */
const BOUND_MS = 1000;
/** A process that is told to die must be gone by then. */
const STUCK_MS = 5000;
const MAX_LIFE_MS = 60;

const program: Program = {
  title:
    'a process dies while three write to one embedded store (deaths -- COUNT WAY): is anything lost or hung',
  async run([count = String(COUNT), ...ways]) {
    const results: boolean[] = [];
    for (const way of WAYS) {
      if (ways.length === 0 || ways.includes(way)) results.push(await dieOften(way, Number(count)));
    }
    return results.every(Boolean);
  },
};
export default program;

/** What the parent knows of a writer: a commit is acknowledged when its number has arrived. */
interface Writer {
  readonly process: ChildProcess;
  readonly name: string;
  acknowledged: number;
  lastMs: number;
  longestMs: number;
}

async function dieOften(way: Way, count: number): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-deaths-'));
  const path = join(folder, 'store.db');
  try {
    const survivors = Array.from({ length: SURVIVORS }, (_, at) => startWriter(path, `survivor-${at}`));
    await Promise.all(survivors.map(firstCommit));
    const dead: Writer[] = [];
    let stuck = 0;
    for (let at = 0; at < count; at++) {
      const writer = startWriter(path, `${way}-${at}`, way);
      await Promise.race([firstCommit(writer), once(writer.process, 'exit')]);
      await pause(Math.random() * MAX_LIFE_MS);
      if (!(await end(writer, way))) stuck += 1;
      dead.push(writer);
    }
    const longestMs = Math.max(
      ...survivors.map((one) => Math.max(one.longestMs, performance.now() - one.lastMs)),
    );
    const alive = survivors.filter(({ process }) => process.exitCode === null && process.signalCode === null);
    for (const survivor of survivors) await end(survivor, 'SIGKILL');
    const all = [...survivors, ...dead];
    const lost = await countLost(path, all);
    const commits = all.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    const isGood = stuck === 0 && lost === 0 && alive.length === SURVIVORS && longestMs <= BOUND_MS;
    console.log(
      `${way.padEnd(8)} ${count} deaths, ${stuck} stuck, ${SURVIVORS - alive.length} others ended, ${commits} commits, ${lost} lost; longest pause of the others ${Math.round(longestMs)} ms, bound ${BOUND_MS}`,
    );
    return isGood;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function startWriter(path: string, name: string, way?: Way): Writer {
  // The planned error of `throw` would fill the screen.
  const stderr = way === 'throw' ? 'ignore' : 'inherit';
  const child = fork(WRITER, [path, name], { stdio: ['ignore', 'ignore', stderr, 'pipe', 'ipc'] });
  const writer: Writer = { process: child, name, acknowledged: 0, lastMs: performance.now(), longestMs: 0 };
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
  while (writer.acknowledged === 0) await pause(2);
}

/** Makes a writer die in a way, and returns whether it did. */
async function end({ process }: Writer, way: Way): Promise<boolean> {
  if (process.exitCode !== null || process.signalCode !== null) return true;
  const gone = once(process, 'close');
  if (way === 'exit' || way === 'throw') process.send(way);
  else process.kill(way);
  const timeout = new AbortController();
  const died = await Promise.race([
    gone.then(() => true),
    pause(STUCK_MS, false, { signal: timeout.signal }).catch(() => false),
  ]);
  timeout.abort();
  if (died) return true;
  process.kill('SIGKILL');
  await gone;
  return false;
}

/** Each writer numbers its commits: all up to the acknowledged one must be there. */
async function countLost(path: string, writers: readonly Writer[]): Promise<number> {
  const store = openEmbeddedStore(path);
  let lost = 0;
  try {
    for (const { name, acknowledged } of writers) {
      const kept = Number((await store.read(name)) ?? 0);
      lost += Math.max(0, acknowledged - kept);
    }
  } finally {
    await store.close();
  }
  return lost;
}
