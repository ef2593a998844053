// Starts the load generator, and computes costs from its counts.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pin } from '../cores.js';
import type { LoadPlan, LoadResult } from './plan.js';

export interface Cost {
  readonly answered: number;
  readonly failures: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly requestsPerSecond: number;
  /** Processor time in microseconds for each completed request, by the names in the plan's `pids`. */
  readonly micros: Readonly<Record<string, number>>;
  /** Share of the time in which each of them used a processor. */
  readonly busy: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cookies: readonly string[];
}

export interface Generator {
  /** Executes a plan, one at a time. */
  run(plan: LoadPlan): Promise<Cost>;
  close(): Promise<void>;
}

/** @param cores to run on; any by default */
export function openGenerator(cores?: readonly number[]): Generator {
  const child = fork(fileURLToPath(new URL('./generator.js', import.meta.url)), {
    serialization: 'advanced',
  });
  if (cores !== undefined) pin(child.pid!, cores);
  const ended = once(child, 'exit');
  return {
    async run(plan) {
      child.send(plan);
      const answer = new AbortController();
      const result = await Promise.race([once(child, 'message', { signal: answer.signal }), ended]);
      answer.abort();
      if (child.exitCode !== null) throw new Error('the load generator has ended');
      return costOf(result[0] as LoadResult);
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function costOf(result: LoadResult): Cost {
  const { seconds, cpuSeconds, ...rest } = result;
  const { answered } = result;
  const perName = (of: (cpu: number) => number) =>
    Object.fromEntries(Object.entries(cpuSeconds).map(([name, cpu]) => [name, of(cpu)]));
  return {
    ...rest,
    requestsPerSecond: answered / seconds,
    micros: perName((cpu) => (cpu * 1e6) / answered),
    busy: perName((cpu) => cpu / seconds),
  };
}
