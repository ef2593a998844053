// Finds leftovers of a drill: processes, sockets, files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The drill's resources. */
export interface Owned {
  /** A variable with its value in the environment of every process of the drill. */
  readonly mark: string;
  readonly ports: readonly number[];
  /** The processes' temporary folder. */
  readonly temporary: string;
  /** The resources of this process before the drill. */
  readonly resources: ReadonlyMap<string, number>;
}

/** A process needs a moment to exit. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

/** Resources of a Node process that a drill may leave open. */
const COUNTED = ['TCPSocketWrap', 'TCPServerWrap', 'ProcessWrap'];

/** The number of open resources of this process, by kind. */
export function ownResources(): Map<string, number> {
  const open = process.getActiveResourcesInfo();
  return new Map(COUNTED.map((kind) => [kind, open.filter((one) => one === kind).length]));
}

/** A line for each leftover; empty without any. */
export async function findLeftovers(owned: Owned): Promise<string[]> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = look(owned);
    if (found.length === 0 || performance.now() > deadlineMs) return found;
    await sleep(PAUSE_MS);
  }
}

function look({ mark, ports, temporary, resources }: Owned): string[] {
  const now = ownResources();
  return [
    ...processesWith(mark).map((line) => `process ${line}`),
    ...listeningPorts()
      .filter((port) => ports.includes(port))
      .map((port) => `something listens on port ${port}`),
    ...readdirSync(temporary).map((name) => `file ${name} in the folder for temporary files`),
    ...[...resources]
      .filter(([kind, before]) => (now.get(kind) ?? 0) > before)
      .map(([kind, before]) => `${(now.get(kind) ?? 0) - before} ${kind} of the drill itself`),
  ];
}

/** Id and command line of each process with a variable in its environment. */
function processesWith(mark: string): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((pid) => {
    const variables = readIfThere(join('/proc', pid, 'environ')).split('\0');
    if (!variables.includes(mark)) return [];
    return [
      `${pid} ${readIfThere(join('/proc', pid, 'cmdline'))
        .replaceAll('\0', ' ')
        .slice(0, 120)}`,
    ];
  });
}

/** Every TCP port of this machine with a listener. */
function listeningPorts(): number[] {
  const lines = ['tcp', 'tcp6'].flatMap((name) => readIfThere(`/proc/net/${name}`).split('\n').slice(1));
  const LISTENING = '0A';
  return lines.flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    return state === LISTENING ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
}

/** A process may end while it is inspected. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
