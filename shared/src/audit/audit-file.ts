// The destination of audit lines: the standard output, or a file that is opened again after a rotation.

import { closeSync, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { ConfigurationError } from '../schemas/configuration-error.js';

/** Receives audit lines. */
export interface AuditSink {
  /**
   * Writes one line, given without its line break, before it returns.
   * @throws Error of the file system, for example if the disk is full; the line is lost
   */
  write(line: string): void;
  close(): void;
}

/** The stream shows which accounts are attacked, so only the user of the service may read it. */
const MODE = 0o600;

/**
 * Opens a file for appending; creates it with mode 0600 if it is missing. If log rotation has renamed or removed the file,
 * the next line opens it again. Several processes may append to one file.
 *
 * @param path absolute path
 * @throws ConfigurationError with one line if the file cannot be opened
 */
export function openAuditFile(path: string): AuditSink {
  let file: number;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // Opening a pipe would wait for its reader.
    if (found !== undefined && !found.isFile() && !found.isCharacterDevice())
      throw new Error('it is no file');
    file = openSync(path, 'a', MODE);
  } catch (error) {
    throw new ConfigurationError([`AUDIT_LOG ${path} cannot be opened: ${(error as Error).message}`]);
  }
  let opened = identityOf(fstatSync(file));
  let isTorn = false;

  function followRotation(): void {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && identityOf(found) === opened) return;
    const next = openSync(path, 'a', MODE);
    closeSync(file);
    file = next;
    opened = identityOf(fstatSync(file));
    isTorn = false;
  }

  return {
    write(line) {
      followRotation();
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`);
      const written = writeSync(file, bytes);
      isTorn = written < bytes.length;
      if (isTorn) throw new Error('the disk is full');
    },
    close: () => closeSync(file),
  };
}

function identityOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
