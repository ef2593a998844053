// Shares slow resources among all tests of a file.

import root from 'tap';
import { type Owner, processOwner, worker } from './owner.js';

/**
 * Returns a function that opens a resource at its first call, and returns the same one afterwards. It ends with the file;
 * the next file of the same process gets a new one.
 */
export function oncePerFile<Opened>(open: (owner: Owner) => Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | undefined;
  return () => {
    if (opened === undefined) {
      opened = open(root);
      root.teardown(() => {
        opened = undefined;
      });
    }
    return opened;
  };
}

/**
 * The same for a resource shared by all files of a process of `npm test`, while it is sound; a file run alone has its own.
 * @param isSound whether the next file can use it; otherwise that file opens another one
 */
export function oncePerProcess<Opened>(
  open: (owner: Owner) => Promise<Opened>,
  isSound: (opened: Opened) => Promise<boolean>,
): () => Promise<Opened> {
  if (worker === undefined) return oncePerFile(open);
  const owner = processOwner(worker);
  let opened: Promise<Opened> | undefined;
  return oncePerFile(async () => {
    const before = await opened;
    if (before === undefined || !(await isSound(before))) opened = open(owner);
    return await (opened as Promise<Opened>);
  });
}
