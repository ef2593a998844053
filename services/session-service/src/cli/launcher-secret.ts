// Finds CHALLENGE_SECRET for a command: in the environment, or where `npm start` keeps the secrets that it made.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import { PROJECT_ROOT } from './project-root.js';

/**
 * The list of secrets that keys accounts and addresses.
 * @throws ConfigurationError when there is none
 */
export function challengeSecret(values: {
  readonly CHALLENGE_SECRET?: string | undefined;
  readonly DATA_DIR: string;
}): string {
  if (values.CHALLENGE_SECRET !== undefined) return values.CHALLENGE_SECRET;
  const path = join(resolve(PROJECT_ROOT, values.DATA_DIR), 'secrets.json');
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')).CHALLENGE_SECRET;
    if (typeof found === 'string' && found !== '') return found;
  } catch {
    // There is no such file where the secrets come from somewhere else.
  }
  throw new ConfigurationError([
    'CHALLENGE_SECRET is missing: it must be that of session-service, under which the store keeps accounts',
  ]);
}
