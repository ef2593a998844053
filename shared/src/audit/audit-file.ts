// Where audit lines go: the standard output of the process, or a file that is opened anew after a rotation.

import { closeSync, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { ConfigurationError } from '../schemas/configuration-error.js';

/** Takes lines. */
export interface AuditSink {
  /**
   * Writes one line, without its line break, before it returns.
   * @throws what the system says, for instance of a full disk; the line is lost then
   */
  write(line: string): void;
  close(): void;
}

/** Whoever may read the stream knows which accounts are attacked, so it is the service's user alone. */
const MODE = 0o600;

/**
 * Appends to a file, which is made with mode 0600 when it is missing. A file that was renamed or removed, as log
 * rotation does, is opened anew by the next line; several processes may append to one file.
 *
 * @param path absolute path
 * @throws ConfigurationError with one line when it cannot be opened
 */
export function openAuditFile(path: string): AuditSink {
  let file: number;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    // To open a pipe waits for its reader.
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
