// Shares slow resources among all tests of a file.

import root from 'tap';
import type { Owner } from './owner.js';

/** Returns a function that opens a resource at its first call, and returns the same one afterwards. It ends with the file. */
export function oncePerFile<Opened>(open: (owner: Owner) => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined;
  return () => {
    opened ??= open(root);
    return opened;
  };
}
