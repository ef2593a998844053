// The log file of one service, with a bounded number of earlier files of bounded size.
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

interface RotatedLog {
  /** Descriptor of the current file, for a process that writes to it directly; its size is not bounded then. */
  readonly descriptor: number;
  /** Appends a line; starts another file first if this one is full. */
  write(line: string): void;
  /** All kept lines written since the log was opened. */
  read(): string;
  close(): void;
}

interface RotatedLogLimits {
  /** Number of earlier files; file 1 is the newest. */
  readonly keep: number;
  /** Size at which another file is started, in bytes. */
  readonly bytes: number;
}

const defaultLimits: RotatedLogLimits = { keep: 5, bytes: 10 * 1024 * 1024 };

/**
 * Opens a log with an empty file; the previous run's file becomes `NAME.1.log`.
 * @param path absolute; the folder is created with mode 0700, the file with 0600
 */
export function openRotatedLog(path: string, limits: Partial<RotatedLogLimits> = {}): RotatedLog {
  const { keep, bytes } = { ...defaultLimits, ...limits };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  shift(path, keep);
  let descriptor = openSync(path, 'ax', 0o600);
  let size = 0;
  let files = 1;
  return {
    get descriptor() {
      return descriptor;
    },
    write(line) {
      const text = Buffer.from(`${line}\n`);
      if (size > 0 && size + text.length > bytes) {
        closeSync(descriptor);
        shift(path, keep);
        descriptor = openSync(path, 'ax', 0o600);
        size = 0;
        files = Math.min(files + 1, keep + 1);
      }
      writeSync(descriptor, text);
      size += text.length;
    },
    read: () =>
      Array.from({ length: files }, (_, at) => readFileSync(numbered(path, files - 1 - at), 'utf8')).join(''),
    close: () => closeSync(descriptor),
  };
}

/** Renames each file to the next number; removes the oldest, and empty ones. */
function shift(path: string, keep: number): void {
  if (sizeOf(path) === 0) rmSync(path, { force: true });
  if (sizeOf(path) === undefined) return;
  rmSync(numbered(path, keep), { force: true });
  for (let number = keep; number > 0; number -= 1) {
    const from = numbered(path, number - 1);
    if (sizeOf(from) !== undefined) renameSync(from, numbered(path, number));
  }
}

/** `session-service.log` for 0, `session-service.1.log` for 1. */
function numbered(path: string, number: number): string {
  return number === 0 ? path : path.replace(/(\.[^./]*)?$/, `.${number}$1`);
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
