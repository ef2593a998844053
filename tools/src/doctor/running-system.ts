// The record of the system that `npm start` runs on this machine: the launcher writes it, the doctor reads it.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileVariableOf } from '@tollgate/shared/config';

type Environment = Readonly<Record<string, string | undefined>>;

const RUNNING_FILE = 'running.json';
const SECRETS_FILE = 'secrets.json';
const SECRETS = [
  ...(['ACCESS_SECRET', 'ACCESS_SIGNING_KEYS', 'REFRESH_SECRET', 'ENCRYPTION_KEY'] as const),
  'CHALLENGE_SECRET',
] as const;

/**
 * Writes `running.json`, with mode 0600, into the data folder: this process id, and the variables set by the launcher.
 *
 * @param variables contain no secret
 * @returns removes the file
 */
export function writeRunningFile(dataFolder: string, variables: Environment): () => void {
  const path = join(dataFolder, RUNNING_FILE);
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, variables }, null, 2)}\n`, { mode: 0o600 });
  // Another system on the same folder may have written its own since.
  return () => {
    if (readObject(path)?.pid === process.pid) rmSync(path, { force: true });
  };
}

/**
 * Completes an environment with the variables and secrets of the system running on the same `DATA_DIR`; set variables take
 * precedence. Returns the environment unchanged if no system runs, or if another public address was given.
 *
 * @param root base folder of a relative `DATA_DIR`
 * @param publicUrl the address on the command line
 */
export function runningEnvironment(env: Environment, root: string, publicUrl?: string): Environment {
  const folder = resolve(root, env.DATA_DIR || 'data');
  const running = readObject(join(folder, RUNNING_FILE));
  if (running === undefined || !isAlive(running.pid)) return env;
  const variables = textsOf(running.variables);
  const meant = publicUrl ?? (env.PUBLIC_URL || variables.PUBLIC_URL);
  if (withoutSlash(meant) !== withoutSlash(variables.PUBLIC_URL)) return env;
  const kept = textsOf(readObject(join(folder, SECRETS_FILE)));
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const missing = SECRETS.filter((name) => given[fileVariableOf(name)] === undefined);
  const secrets = Object.fromEntries(missing.map((name) => [name, kept[name]]));
  return { ...secrets, ...variables, ...given, DATA_DIR: folder };
}

/** Undefined if the file does not exist or contains no object. */
function readObject(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return Object.fromEntries(entries.filter(([, text]) => typeof text === 'string'));
}

/** A killed launcher leaves its file behind. */
function isAlive(pid: unknown): boolean {
  if (typeof pid !== 'number') return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function withoutSlash(url: string | undefined): string {
  return (url ?? '').replace(/\/+$/, '');
}
