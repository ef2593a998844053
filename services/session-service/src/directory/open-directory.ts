// Opens the directory that USERS_URL names.

import { resolve } from 'node:path';
import type { Directory } from './directory.js';
import { openEmbeddedDirectory } from './embedded-directory.js';

/**
 * The file behind a `file:` URL.
 * @param root folder that a relative path starts from
 * @throws RangeError for another kind of URL, which it never repeats: there may be a password in it
 */
export function directoryPath(url: string, root: string): string {
  if (url.startsWith('file:') && url.length > 5) return resolve(root, url.slice(5));
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
  throw new RangeError(
    scheme === undefined || scheme === 'file:' ? 'must be file:PATH' : `${scheme} is not supported`,
  );
}

/**
 * Opens the directory of a URL (decisions 3.6).
 * @param root folder that a relative path starts from
 * @throws RangeError for a URL of no supported kind
 * @throws DirectoryUnavailableError when the file cannot be opened
 */
export function openDirectory(url: string, root: string): Directory {
  return openEmbeddedDirectory(directoryPath(url, root));
}
