// Loaded into a service before its own code: reports its memory, after a collection, to each connection.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { anonymousBytes } from '../cpu-time.js';

/** The report to a connection, as JSON. Bytes. */
export interface HeapReading {
  /**
   * Resident memory without file pages, most of which belong to Node's program: all processes share them, and they come and
   * go as the system finds room. All resident memory if the system does not separate them.
   */
  readonly anonymous: number;
  /** Resident file pages. */
  readonly ofFiles: number;
  /** The main thread's heap, and its external memory. */
  readonly heapUsed: number;
  readonly external: number;
}

/** The variable with the folder of the sockets, where a process listens under its id. */
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
    // The second collection frees objects released by finalizers of the first.
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
