// Reads a variable that contains JSON or the path of a JSON file.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Returns the parsed JSON without validating it.
 *
 * @param value JSON that begins with a brace, or the path of a file
 * @param root folder that a relative path starts from
 * @throws RangeError whose message follows the name of the variable
 */
export function readJsonSource(value: string, root: string): unknown {
  const text = readJsonText(value, root);
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = text === value ? 'is not valid JSON' : 'names a file that is not valid JSON';
    throw new RangeError(`${where}: ${error instanceof Error ? error.message : ''}`);
  }
}

/**
 * Returns the unparsed JSON of a variable: its value if that begins with a brace, else the content of the file at that path.
 * @param root folder that a relative path starts from
 * @throws RangeError whose message follows the name of the variable
 */
export function readJsonText(value: string, root: string): string {
  if (value.trimStart().startsWith('{')) return value;
  try {
    return readFileSync(resolve(root, value), 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new RangeError(`names a file that cannot be read (${code}); JSON in its place begins with {`);
  }
}
