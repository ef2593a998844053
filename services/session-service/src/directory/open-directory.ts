// Opens the directory that USERS_URL names.

import type { Directory } from './directory.js';
import { openEmbeddedDirectory } from './embedded-directory.js';
import { openModuleDirectory } from './module-directory.js';
import { openPostgresDirectory, type PostgresDirectory } from './postgres-directory.js';
import type { StatementTexts } from './user-statements.js';
import { parseUsersUrl } from './users-url.js';

/**
 * Opens the directory of a URL (decisions 3.6).
 * @param root folder that a relative path starts from
 * @param statements what a postgres directory runs
 * @throws RangeError for a URL of no supported kind, missing statements, a module without a driver
 * @throws DirectoryUnavailableError when the file cannot be opened
 */
export async function openDirectory(
  url: string,
  root: string,
  statements: StatementTexts = {},
): Promise<Directory | PostgresDirectory> {
  const place = parseUsersUrl(url, root);
  switch (place.kind) {
    case 'embedded':
      return openEmbeddedDirectory(place.path);
    case 'postgres':
      return openPostgresDirectory(place.url, statements);
    case 'module':
      return openModuleDirectory(place.path);
  }
}
