// Processor time and memory of a process, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

export const TICKS_PER_SECOND = 100;

/** Returns the processor time of a process in seconds, over all its threads. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = fieldsOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Returns the fields 3 and later of `/proc/PID/stat` (proc_pid_stat(5)). Linux only. */
export function fieldsOf(pid: number | 'self'): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the resident memory of a process in bytes. Linux only. */
export function residentBytes(pid: number): number {
  return statusBytes(pid, 'VmRSS');
}

/** Returns the resident memory of a process in bytes, without file pages. Linux only. */
export function anonymousBytes(pid: number): number {
  return statusBytes(pid, 'RssAnon');
}

/** A field of proc_pid_status(5). */
function statusBytes(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

/** Returns the proportional memory of a process in bytes: shared pages count in part. Linux only. */
export function proportionalBytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Returns the processor time of a process's running threads, in milliseconds: finer than `cpuSeconds`. Linux only. */
export function processorMs(pid: number): number {
  return tasksOf(pid).reduce((sum, task) => sum + threadMs(pid, task), 0);
}

/** Returns the processor time of a process's main thread, in milliseconds. Linux only. */
export function mainThreadMs(pid: number): number {
  return threadMs(pid, String(pid));
}

function threadMs(pid: number, task: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Returns the number of wake-ups of a process's running threads. Linux only. */
export function wakeUps(pid: number): number {
  const switches = (task: string) =>
    Number(
      /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(
        readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'),
      )?.[1],
    );
  return tasksOf(pid).reduce((sum, task) => sum + switches(task), 0);
}

function tasksOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`);
}
