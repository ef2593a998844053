// Slows the processes of pages down: they are stopped in turns, with all their workers, which no browser's throttling reaches.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { descendants } from '../hashwx/process-memory.js';

/** How long they run at a time. */
const RUN_MS = 5;

/** The processes of pages: of Chromium, of Firefox, of WebKit. */
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

/** @returns whether the process is still there */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Gives the pages of the browsers that this process has started one part of the time.
 * @param times 4: they run for a quarter of it
 * @returns ends it
 */
export function slowDown(times: number): () => Promise<void> {
  if (times === 1) return () => Promise.resolve();
  const pids = pageProcesses();
  if (pids.length === 0) throw new Error('there is no process of a page');
  let isEnded = false;
  const cycle = (async () => {
    while (!isEnded) {
      const startedMs = performance.now();
      await pause(RUN_MS);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      // A timer may be late, on a busy machine above all: the stop is as much longer.
      await pause((performance.now() - startedMs) * (times - 1));
      for (const pid of pids) signal(pid, 'SIGCONT');
    }
  })();
  return () => {
    isEnded = true;
    return cycle;
  };
}
