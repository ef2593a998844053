// Slows page processes down: stops them in turns, with all their workers, which no browser's throttling reaches.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendants } from '../hashwx/process-memory.js';

/** Length of a running period. */
const RUN_MS = 5;

/** Page processes: of Chromium, of Firefox, of WebKit. */
const PAGE_PROCESS = /--type=renderer|-contentproc.*\btab$|WebKitWebProcess/;

function pageProcesses(): number[] {
  return descendants().filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        .split(/[\0 ]+/)
        .filter(Boolean);
      return PAGE_PROCESS.test(words.join(' '));
    } catch {
      return false;
    }
  });
}

/** @returns whether the process still exists */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Gives the pages of this process's browsers a share of the time.
 * @param times with 4, they run for a quarter of it
 * @returns ends it
 */
export function slowDown(times: number): () => Promise<void> {
  if (times === 1) return () => Promise.resolve();
  const pids = pageProcesses();
  if (pids.length === 0) throw new Error('no page process found');
  let isEnded = false;
  const cycle = (async () => {
    while (!isEnded) {
      const startedMs = performance.now();
      await pause(RUN_MS);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      // A timer may be late, above all on a busy machine: the stop is extended accordingly.
      await pause((performance.now() - startedMs) * (times - 1));
      for (const pid of pids) signal(pid, 'SIGCONT');
    }
  })();
  return () => {
    isEnded = true;
    return cycle;
  };
}
