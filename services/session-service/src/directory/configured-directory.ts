// Opens the directory that USERS_URL names, and says what is wrong with it in the variables' words.

import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { type Directory, DirectoryUnavailableError } from './directory.js';
import { openDirectory } from './open-directory.js';
import type { StatementTexts } from './user-statements.js';

/**
 * Opens the directory and tries its statements. A database that does not answer is no mistake: its health says so.
 * @param root folder that a relative path starts from
 * @param statements USERS_BY_EMAIL, USERS_BY_ID and USERS_SAVE_HASH
 * @param onAway told why a database did not answer
 * @throws ConfigurationError with a line per mistake, each beginning with the name of a variable
 */
export async function openConfiguredDirectory(
  url: string,
  root: string,
  statements: StatementTexts = {},
  onAway: (reason: string) => void = () => {},
): Promise<Directory> {
  const directory = await open(url, root, statements);
  const noneYet = (error: unknown): string[] => {
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    onAway(error.message);
    return [];
  };
  const mistakes = 'probe' in directory ? await directory.probe().catch(noneYet) : [];
  if (mistakes.length === 0) return directory;
  await directory.close();
  throw new ConfigurationError(mistakes);
}

async function open(url: string, root: string, statements: StatementTexts) {
  try {
    return await openDirectory(url, root, statements);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`USERS_URL ${error.message}`]);
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    throw new ConfigurationError([`USERS_URL names a directory that cannot be opened: ${error.message}`]);
  }
}
