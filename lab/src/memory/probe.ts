// Loaded into a service before its own code: tells its memory, after a collection, to whoever connects.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { anonymousBytes } from '../cpu-time.js';

/** What a connection is told, as JSON. Bytes. */
export interface HeapReading {
  /**
   * Resident memory of its own. Without the pages of files, most of them of Node's program: they are there once for all
   * processes, and come and go as the system finds room. All resident memory where the system does not tell them apart.
   */
  readonly anonymous: number;
  /** Resident pages of files. */
  readonly ofFiles: number;
  /** The heap of the main thread, and what it holds outside of it. */
  readonly heapUsed: number;
  readonly external: number;
}

/** The variable that names the folder of the sockets, and makes a process listen there under its id. */
export const PROBE_FOLDER = 'TOLLGATE_MEMORY_PROBE';

/** The socket of a process. */
export function probeSocket(folder: string, pid: number): string {
  return join(folder, `${pid}.sock`);
}

const folder = process.env[PROBE_FOLDER];
if (folder !== undefined && isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  createServer((socket) => {
    // The second collection frees what the finalizers of the first have let go.
    collect();
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    const anonymous = process.platform === 'linux' ? anonymousBytes(process.pid) : rss;
    socket.end(
      JSON.stringify({ anonymous, ofFiles: rss - anonymous, heapUsed, external } satisfies HeapReading),
    );
  })
    .listen(probeSocket(folder, process.pid))
    .unref();
}
