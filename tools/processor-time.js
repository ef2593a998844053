// The processor time of a process and of all that it has started, as Linux counts it in /proc.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * Returns the seconds that a process and its descendants have kept processors busy, in user and system mode; those of
 * ended descendants count once somebody has waited for them. What outlived the process that started it is missing.
 * @param {number} pid
 * @returns {number | undefined} undefined where nothing tells: the process is gone, or the machine has no /proc
 */
export function processorSeconds(pid) {
  const all = new Map();
  for (const name of namesIn('/proc')) {
    const one = /^\d+$/.test(name) && readProcess(name);
    if (one) all.set(Number(name), one);
  }
  const root = all.get(pid);
  if (root === undefined) return undefined;
  const isOurs = (one) => one !== undefined && (one === root || isOurs(all.get(one.parent)));
  let ticks = 0;
  for (const one of all.values()) if (isOurs(one)) ticks += one.ticks;
  return ticks / ticksPerSecond;
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Reads one process; it may have ended meanwhile. */
function readProcess(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before may hold spaces and parentheses. utime, stime, cutime and cstime are the 14th to 17th field.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}
