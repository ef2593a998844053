// Exports the users of the directory as JSON lines, for the import of another installation.

import { appendFileSync } from 'node:fs';
import { writePrivateFile } from '@tollgate/shared/store';
import type { EmbeddedDirectory } from '../../directory/embedded-directory.js';
import { writeNewFile } from '../new-file.js';

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
  const text = lines.map((line) => `${line}\n`).join('');
  writeNewFile(path, () => writePrivateFile(path, () => appendFileSync(path, text)));
  return `exported ${users.length} ${users.length === 1 ? 'user' : 'users'}`;
}
