// Reads files of the project for the tests of the documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';

/** The text of a file, by its path from the project's root. */
export function readProjectFile(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}
