// Copies a file of the service for a command, also while the service writes to it.

import { CommandError } from '@tollgate/shared/config';

/**
 * Writes the copy into a new file.
 * @throws CommandError if the target exists or cannot be written
 */
export function writeCopy(source: { copyTo(target: string): void }, target: string): void {
  try {
    source.copyTo(target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(code === 'EEXIST' ? `${target} exists already` : `${target}: ${message}`, {
      cause: error,
    });
  }
}
