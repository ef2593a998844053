// Completes an environment with that of the system that `npm start` runs on this machine.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

const SECRETS = ['ACCESS_SECRET', 'REFRESH_SECRET', 'ENCRYPTION_KEY', 'CHALLENGE_SECRET'] as const;

/**
 * The environment with what `npm start` has set by itself and the secrets that it keeps, while it runs on the same
 * `DATA_DIR` and unless another public address is meant. What is set already wins.
 *
 * @param root folder that a relative `DATA_DIR` starts from
 * @param publicUrl the address that was named on the command line
 */
export function launchedEnvironment(env: Environment, root: string, publicUrl?: string): Environment {
  const folder = resolve(root, env.DATA_DIR || 'data');
  const running = readObject(join(folder, 'running.json'));
  if (running === undefined || !isAlive(running.pid)) return env;
  const variables = textsOf(running.variables);
  const meant = publicUrl ?? (env.PUBLIC_URL || variables.PUBLIC_URL);
  if (withoutSlash(meant) !== withoutSlash(variables.PUBLIC_URL)) return env;
  const kept = textsOf(readObject(join(folder, 'secrets.json')));
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, kept[name]]));
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  return { ...secrets, ...variables, ...given, DATA_DIR: folder };
}

/** Undefined for a file that is not there or holds no object. */
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

/** A launcher that was killed leaves its file behind. */
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
