// Secrets in files: `ACCESS_SECRET_FILE` names the file that holds `ACCESS_SECRET`.

import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { TObject } from '@sinclair/typebox';
import { ConfigurationError } from '../schemas/configuration-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value, empty if it is unset, or the mistake in its file. */
type SecretReading =
  | { readonly text: string; readonly mistake?: undefined }
  | { readonly text?: undefined; readonly mistake: string };

/** Returns the variable for the file of a secret. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** Returns the variables of a schema with the annotation `secret: true`. */
export function secretVariablesOf(schema: TObject): string[] {
  return Object.entries(schema.properties).flatMap(([name, { secret }]) => (secret === true ? [name] : []));
}

/**
 * Reads a secret from its variable, or from the file in `NAME_FILE`: one line, without trailing line breaks. The mistake is
 * one line without the secret.
 */
export function readSecret(name: string, env: Environment): SecretReading {
  const text = env[name] ?? '';
  const fileVariable = fileVariableOf(name);
  const path = env[fileVariable] ?? '';
  if (path === '') return { text };
  if (text !== '') return { mistake: `${name} must not be set together with ${fileVariable}` };
  // A process's start folder is seldom the one that its operator has in mind.
  if (!isAbsolute(path)) {
    return { mistake: `${fileVariable} must be an absolute path, not ${JSON.stringify(path)}` };
  }
  try {
    const content = readFileSync(path, 'utf8').replace(/(?:\r?\n)+$/, '');
    if (content === '') return { mistake: `${fileVariable} names an empty file: ${path}` };
    if (/[\r\n\0]/.test(content)) {
      return { mistake: `${fileVariable} must name a file of one line of text: ${path}` };
    }
    return { text: content };
  } catch (error) {
    return { mistake: `${fileVariable} names a file that cannot be read: ${path} (${reasonOf(error)})` };
  }
}

/**
 * Returns an environment with the secrets' values from their files.
 * @param names the secrets to look for
 * @throws ConfigurationError with a line per mistake
 */
export function withSecretsFromFiles(env: Environment, names: readonly string[]): Environment {
  const found = { ...env };
  const mistakes: string[] = [];
  for (const name of names) {
    const { text, mistake } = readSecret(name, env);
    if (mistake !== undefined) mistakes.push(mistake);
    else if (text !== '') found[name] = text;
    delete found[fileVariableOf(name)];
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return found;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

function reasonOf(error: unknown): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? code;
}
