// Loads an operator's module.

import { pathToFileURL } from 'node:url';

/**
 * Returns the exports of an ES module.
 * @param path absolute
 * @throws RangeError if it cannot be loaded; the message is worded to follow the name of a variable
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw new RangeError(`names a module that cannot be loaded: ${explain(error)}`);
  }
}

/** Returns the class of an error from foreign code, whose message may quote a secret or a user. */
function errorClass(error: unknown): string {
  return error instanceof Error ? error.name : 'a non-error value';
}

/** Returns Node's message about a file or its syntax; for an error thrown by the module only its class. */
function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const isNodes = error instanceof SyntaxError || code?.startsWith('ERR_');
  return isNodes ? (message.split('\n')[0] ?? '') : `it threw ${errorClass(error)}`;
}
