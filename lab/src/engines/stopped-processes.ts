// Stops a browser as when the machine sleeps: none of its processes runs, no timer fires.
import { readdirSync, readFileSync } from 'node:fs';

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
}

/** @param isRoot whether a process is the browser's first; its descendants belong to it. @returns continues them */
export function stopProcesses(isRoot: (one: Process) => boolean): () => void {
  const all = listProcesses();
  const family = all.filter(isRoot);
  if (family.length === 0) throw new Error('no process of this browser found');
  for (const { id } of family) family.push(...all.filter(({ parent }) => parent === id));
  const signal = (name: NodeJS.Signals) => {
    for (const { id } of family) {
      try {
        process.kill(id, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        const [, name = '', parent] =
          /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
        return [{ id: Number(id), parent: Number(parent), name }];
      } catch {
        return [];
      }
    });
}
