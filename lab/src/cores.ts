// Assigns processor cores to processes, so that none is moved, or slowed by its neighbour, in only some rounds.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ServiceOptions } from '@tollgate/tools/launcher/service-process.js';

export interface Cores {
  /** Measured processes: a core each, or fewer, taken in turn. */
  readonly measured: readonly number[];
  readonly redis: readonly number[];
  readonly load: readonly number[];
}

/** Divides this process's cores: Redis and the load generator get one each before a second measured process. */
export function assignCores(processes = 1, cores = allowedCores()): Cores {
  const measured = Math.max(1, Math.min(processes, cores.length - 2));
  const others = cores.length > measured ? cores.slice(measured) : cores;
  const [redis, ...load] = others;
  return {
    measured: cores.slice(0, measured),
    redis: [redis!],
    load: load.length > 0 ? load.slice(0, 1) : [redis!],
  };
}

/** Pins a process, with all its threads, to cores. Linux only. */
export function pin(pid: number, cores: readonly number[]): void {
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores.join(','), String(pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Node's program and its options. */
export type NodeProgram = NonNullable<ServiceOptions['node']>;

/** Returns the program that runs Node on these cores from its start; any cores by default. Linux only. */
export function onCores(node: NodeProgram, cores?: readonly number[]): NodeProgram {
  if (cores === undefined) return node;
  return { path: 'taskset', options: ['--cpu-list', cores.join(','), node.path, ...node.options] };
}

/** Describes an assignment in words. */
export function describeCores({ measured, redis, load }: Cores): string {
  const at = (cores: readonly number[]) => `core${cores.length > 1 ? 's' : ''} ${cores.join(', ')}`;
  return `pinned: what is measured to ${at(measured)}, Redis to ${at(redis)}, the load generator to ${at(load)}`;
}

function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s+(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: last! - first + 1 }, (_, at) => first + at);
  });
}
