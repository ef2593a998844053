// Files that a command writes for its operator.

import { CommandError } from '@tollgate/shared/config';

/**
 * Writes a new file.
 * @throws CommandError if the target exists or cannot be written
 */
export function writeNewFile(target: string, write: (target: string) => void): void {
  try {
    write(target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(code === 'EEXIST' ? `${target} exists already` : `${target}: ${message}`, {
      cause: error,
    });
  }
}
