// The secrets that a system on one machine makes for itself: secrets.json in DATA_DIR, readable only by its owner.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '../schemas/configuration-error.js';

/** Values by variable name. */
type SecretsFile = Readonly<Record<string, string>>;

/** Returns the path of the file. @param folder absolute path of `DATA_DIR` */
export function secretsPathOf(folder: string): string {
  return join(folder, 'secrets.json');
}

/**
 * Reads the file; undefined if there is none.
 * @throws ConfigurationError with one line if it cannot be read or has other content
 */
export function readSecretsFile(folder: string): SecretsFile | undefined {
  const path = secretsPathOf(folder);
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = Object.entries(content ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    );
    return Object.fromEntries(entries);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigurationError([`${path} is no valid file of secrets; repair it or move it away.`]);
  }
}

/** Writes the file if there is none, and returns its current secrets: of two concurrent writers, one wins. */
export function createSecretsFile(folder: string, secrets: SecretsFile): SecretsFile {
  const path = secretsPathOf(folder);
  const draft = writeDraft(folder, secrets);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readSecretsFile(folder) ?? secrets;
}

/** Replaces the file, with the mode 0600. */
export function replaceSecretsFile(folder: string, secrets: SecretsFile): void {
  renameSync(writeDraft(folder, secrets), secretsPathOf(folder));
}

/** A complete file is moved into place, so that nobody reads half of it or finds it with a wider mode. */
function writeDraft(folder: string, secrets: SecretsFile): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${secretsPathOf(folder)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return draft;
}
