// Loads a module of the operator.

import { pathToFileURL } from 'node:url';

/**
 * Returns the exports of an ES module.
 * @param path absolute
 * @throws RangeError if it cannot be loaded; the message follows the name of a variable
 */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw new RangeError(`names a module that cannot be loaded: ${explain(error)}`);
  }
}

/** Returns the class of an error of foreign code, whose message may quote a secret or a user. */
export function errorClass(error: unknown): string {
  return error instanceof Error ? error.name : 'something that is no error';
}

/** Returns Node's message about a file or its syntax; only the class of an error that the module threw. */
function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const isNodes = error instanceof SyntaxError || code?.startsWith('ERR_');
  return isNodes ? (message.split('\n')[0] ?? '') : `it threw ${errorClass(error)}`;
}
