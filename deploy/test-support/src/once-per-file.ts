// What takes long to start serves all tests of a file.

import root, { type Test } from 'tap';

/**
 * Returns what opens something at its first call, and returns the same afterwards. It ends with the file; the next file of
 * the same process gets one of its own.
 */
export function oncePerFile<Opened>(
  open: (t: Pick<Test, 'teardown'>) => Promise<Opened>,
): () => Promise<Opened> {
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
