// Opens the directory of USERS_URL, and reports its mistakes by variable.

import { ConfigurationError } from '@tollgate/shared/config';
import { type Directory, DirectoryUnavailableError } from './directory.js';
import { openEmbeddedDirectory } from './embedded-directory.js';
import { openModuleDirectory } from './module-directory.js';
import type { PostgresDirectory } from './postgres-directory.js';
import type { StatementTexts } from './postgres-statements.js';
import { parseUsersUrl } from './users-url.js';

/**
 * Opens the directory and checks its statements. A database that does not respond is not a configuration mistake: the
 * directory opens and its health check fails.
 * @param root folder that relative paths start from
 * @param statements USERS_BY_EMAIL, USERS_BY_ID and USERS_SAVE_HASH
 * @param onAway called with the reason if the database did not respond
 * @throws ConfigurationError with a line per mistake, each starting with the name of a variable
 */
export async function openConfiguredDirectory(
  url: string,
  root: string,
  statements: StatementTexts = {},
  onAway: (reason: string) => void = () => {},
): Promise<Directory> {
  const directory = await openOrExplain(url, root, statements);
  const reportAway = (error: unknown): string[] => {
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    onAway(error.message);
    return [];
  };
  const mistakes = 'probe' in directory ? await directory.probe().catch(reportAway) : [];
  if (mistakes.length === 0) return directory;
  await directory.close();
  throw new ConfigurationError(mistakes);
}

/**
 * Opens the directory of a URL.
 * @param root folder that relative paths start from
 * @param statements the statements of a PostgreSQL directory
 * @throws RangeError if the URL is not supported, statements are missing or the module exports no driver
 * @throws DirectoryUnavailableError if the file cannot be opened
 */
export async function openDirectory(
  url: string,
  root: string,
  statements: StatementTexts = {},
): Promise<Directory | PostgresDirectory> {
  const location = parseUsersUrl(url, root);
  switch (location.kind) {
    case 'embedded':
      return openEmbeddedDirectory(location.path);
    case 'postgres': {
      // Its client loads slowly, and most installations do not need it.
      const { openPostgresDirectory } = await import('./postgres-directory.js');
      return openPostgresDirectory(location.url, statements);
    }
    case 'module':
      return openModuleDirectory(location.path);
  }
}

async function openOrExplain(url: string, root: string, statements: StatementTexts) {
  try {
    return await openDirectory(url, root, statements);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`USERS_URL ${error.message}`]);
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    throw new ConfigurationError([`USERS_URL names a directory that cannot be opened: ${error.message}`]);
  }
}
