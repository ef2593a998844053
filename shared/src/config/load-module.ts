// Loads a module that the operator has written, and says in one line why it cannot be loaded.

import { pathToFileURL } from 'node:url';

/**
 * The exports of an ES module.
 * @param path absolute
 * @throws RangeError whose message follows the name of the variable that holds the path
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw new RangeError(`names a module that cannot be loaded: ${explain(error)}`);
  }
}

/** The kind of what somebody else's code threw: its words may quote a secret or a user. */
export function errorClass(error: unknown): string {
  return error instanceof Error ? error.name : 'something that is no error';
}

/** Node's own words about a file or its syntax; of what the module itself threw only the kind. */
function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const isNodes = error instanceof SyntaxError || code?.startsWith('ERR_');
  return isNodes ? (message.split('\n')[0] ?? '') : `it threw ${errorClass(error)}`;
}
