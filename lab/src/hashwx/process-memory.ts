// The descendants of this process, and their memory.
import { readdirSync, readFileSync } from 'node:fs';

/** Parents by process. */
function parents(): Map<number, number> {
  const found = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      // The name of a program, in brackets, may contain spaces.
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      found.set(Number(name), Number(parent));
    } catch {
      // The process has ended.
    }
  }
  return found;
}

/** All descendants of this process. */
export function descendants(): number[] {
  const parentOf = parents();
  const isOurs = (pid: number | undefined): boolean =>
    pid !== undefined && pid !== 0 && (pid === process.pid || isOurs(parentOf.get(pid)));
  return [...parentOf.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
}

/** Returns their proportional memory in MB: shared pages count once. */
export function descendantsMemory(): number {
  let kilobytes = 0;
  for (const pid of descendants()) {
    try {
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return kilobytes / 1000;
}
