// The output of log lines: standard output, many lines per write.
import { type DestinationStream, pino } from 'pino';

/** Receives log lines, each complete. */
export type LogOutput = DestinationStream;

/** Opens standard output, once for all writers in a process, so that no line is cut by another. */
export function openStandardOutput(): LogOutput {
  return gatherLines(pino.destination(1));
}

/** How long a line waits to be written together with others, in milliseconds. */
const GATHER_MS = 10;
/** Above this length, lines are written without further waiting, in characters. */
const MOST_GATHERED = 32_768;
/**
 * How long an exit waits, in milliseconds, for a pending write of another thread: later output must follow it, and its end
 * is no longer reported.
 */
const LAST_WRITE_MS = 100;

/**
 * Writes lines together, because each write costs more than its line. Pending lines are written when the process exits; a
 * killed process loses the lines of its last 10 milliseconds.
 */
function gatherLines(output: ReturnType<typeof pino.destination>): LogOutput {
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  let isWriting = false;
  output.on('drain', () => {
    isWriting = false;
  });
  const take = () => {
    const text = gathered;
    gathered = '';
    clearTimeout(timer);
    return text;
  };
  const release = () => {
    const text = take();
    if (text === '') return;
    isWriting = true;
    output.write(text);
  };
  // The output would begin to write in another thread, and write the rest before that has ended.
  const releaseNow = () => {
    const text = take();
    if (isWriting) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WRITE_MS);
    output.flushSync();
    if (text !== '') pino.destination({ dest: 1, sync: true }).write(text);
  };
  process.prependOnceListener('exit', releaseNow);
  const gatherer = {
    write(line: string) {
      if (gathered === '') timer = setTimeout(release, GATHER_MS);
      gathered += line;
      if (gathered.length > MOST_GATHERED) release();
    },
    /** Called after a fatal error. */
    flushSync: releaseNow,
  };
  return gatherer;
}
