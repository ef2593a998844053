// Opens the directory that USERS_URL names, and says what is wrong with it in the variable's words.

import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { type Directory, DirectoryUnavailableError } from './directory.js';
import { openDirectory } from './open-directory.js';

/**
 * Opens the directory.
 * @param root folder that a relative `file:` path starts from
 * @throws ConfigurationError with one line that begins with `USERS_URL`
 */
export function openConfiguredDirectory(url: string, root: string): Directory {
  try {
    return openDirectory(url, root);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`USERS_URL ${error.message}`]);
    if (!(error instanceof DirectoryUnavailableError)) throw error;
    throw new ConfigurationError([`USERS_URL names a directory that cannot be opened: ${error.message}`]);
  }
}
