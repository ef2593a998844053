// Processor use of other programs while a benchmark runs.
import { readdirSync, readFileSync } from 'node:fs';
import { fieldsOf, TICKS_PER_SECOND } from './cpu-time.js';

const SAMPLE_MS = 1_000;

/** A process from `/proc/PID/stat`. Times are ticks. */
interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: number;
  readonly used: number;
}

/**
 * Starts a measurement. The returned function ends it, and returns the average number of cores that other programs have used
 * since. Linux only.
 */
export function watchOthers(): () => number {
  const startMs = performance.now();
  const start = usedByAll();
  const waitedFor = usedWithEndedChildren();
  const descendants = watchDescendants();
  return () => {
    // Each misses something: the first, children whose parent did not wait for them, such as those of browsers; the second,
    // processes that live shorter than its interval.
    const own = Math.max(usedWithEndedChildren() - waitedFor, descendants.end());
    const seconds = (performance.now() - startMs) / 1000;
    return Math.max(0, (usedByAll() - start - own) / TICKS_PER_SECOND / seconds);
  };
}

/** Counts the processor time of this process and its descendants, including those that outlive their parent. */
function watchDescendants() {
  const before = new Map(runningProcesses().map((one) => [keyOf(one), one.used]));
  const used = new Map<string, number>();
  const look = () => {
    const running = runningProcesses();
    const own = new Set(running.filter((one) => used.has(keyOf(one))).map(({ pid }) => pid));
    own.add(process.pid);
    for (let found = 0; found !== own.size; ) {
      found = own.size;
      for (const { pid, parent } of running) if (own.has(parent)) own.add(pid);
    }
    for (const one of running) {
      if (own.has(one.pid)) used.set(keyOf(one), one.used - (before.get(keyOf(one)) ?? 0));
    }
  };
  const timer = setInterval(look, SAMPLE_MS).unref();
  return {
    /** @returns ticks */
    end(): number {
      look();
      clearInterval(timer);
      return [...used.values()].reduce((sum, ticks) => sum + ticks, 0);
    },
  };
}

/** Process ids are reused later. */
const keyOf = ({ pid, startedAt }: Process) => `${pid} ${startedAt}`;

function runningProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = fieldsOf(Number(name));
        const used = Number(fields[11]) + Number(fields[12]);
        return [{ pid: Number(name), parent: Number(fields[1]), startedAt: Number(fields[19]), used }];
      } catch {
        // It has ended since.
        return [];
      }
    });
}

function usedByAll(): number {
  const all = /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))![1]!.split(' ').map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = all;
  return user + nice + system + irq + softirq;
}

/** The ticks of this process, and of its ended and awaited descendants. */
function usedWithEndedChildren(): number {
  return fieldsOf('self')
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}
