// Processor time of a process and its descendants, from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * Returns the processor seconds of a process and its descendants, in user and system mode. Ended descendants count once
 * their parent has waited for them; processes that outlive their parent are missing.
 * @param {number} pid
 * @returns {number | undefined} undefined if the process has ended or the machine has no /proc
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

/** Reads one process, which may have ended meanwhile. */
function readProcess(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The preceding name may contain spaces and parentheses. utime, stime, cutime and cstime are fields 14 to 17.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}
