// The local launcher behind `npm start`: starts the system, prints its address, stops it on Ctrl-C.
import { relative } from 'node:path';
import { describeStoreUrl } from '@tollgate/shared/store';
import { projectRoot, StartError } from './local-environment.js';
import { type System, startSystem } from './system.js';
import { showLogLine } from './terminal-log.js';

/** One Ctrl-C arrives twice, from the terminal and from npm. A later signal is a second stop request. */
const sameInterruptionMs = 1_000;

const parentCheckMs = 300;

const interruption = new AbortController();
let system: System | undefined;
let stoppingSinceMs: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);

// The shell between npm and this process forwards no signal: its exit means that npm has to stop.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (process.ppid !== parent) onSignal();
  }, parentCheckMs).unref();
}

try {
  system = await startSystem({
    environment: process.env,
    signal: interruption.signal,
    onLine: showLogLine,
  });
  announce(system);
  system.broken.then(onBroken);
} catch (error) {
  if (interruption.signal.aborted) process.exit(0);
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}

async function onSignal(signal?: NodeJS.Signals): Promise<void> {
  const nowMs = performance.now();
  if (stoppingSinceMs !== undefined) {
    // The services exit with this process.
    if (signal !== undefined && nowMs - stoppingSinceMs > sameInterruptionMs) process.exit(1);
    return;
  }
  stoppingSinceMs = nowMs;
  interruption.abort();
  await system?.stop();
  if (system !== undefined) process.exit(0);
}

async function onBroken(line: string): Promise<void> {
  if (stoppingSinceMs !== undefined) return;
  stoppingSinceMs = performance.now();
  console.error(line);
  await system?.stop();
  process.exit(1);
}

/** Shortens a path inside the project to a relative one. */
function readablePath(path: string): string {
  const inside = relative(projectRoot, path);
  return inside.startsWith('..') ? path : inside;
}

function announce({ address, demo, storeUrl, logFolder }: System): void {
  const rows = [
    ['Tollgate is open at', address],
    ...(demo
      ? [
          ['E-mail', demo.email],
          ['Password', demo.password],
        ]
      : []),
    ['Store', storeUrl ? describeStoreUrl(storeUrl) : 'embedded, nothing else needed'],
    ['Logs', readablePath(logFolder)],
    ['Stop', 'Ctrl-C'],
  ] as const;
  const lines = rows.map(([label, value]) => `  ${label.padEnd(20)} ${value}`);
  console.log(`\n${lines.join('\n')}\n`);
}
