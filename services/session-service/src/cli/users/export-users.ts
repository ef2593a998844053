// Exports the users of the directory as JSON lines, for the import of another installation.

import { writeFileSync } from 'node:fs';
import { CommandError } from '@tollgate/shared/config';
import type { EmbeddedDirectory } from '../../directory/embedded-directory.js';

/**
 * Writes all users with their ids, claims and password hashes to a new file, readable only by its owner.
 * @returns the text to print
 * @throws CommandError if the file exists or cannot be written
 */
export async function exportUsers(directory: EmbeddedDirectory, path: string): Promise<string> {
  const users = await directory.list();
  const lines = users.map(({ id, email, hash, disabled, claims }) =>
    JSON.stringify({ id, email, hash, ...(disabled && { disabled }), ...(claims && { claims }) }),
  );
  try {
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'EEXIST' ? `${path} exists already` : `${path} cannot be written: ${message}`,
      { cause: error },
    );
  }
  return `exported ${users.length} ${users.length === 1 ? 'user' : 'users'}`;
}
