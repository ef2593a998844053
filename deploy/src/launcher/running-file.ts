// What the launcher has set by itself, left beside the secrets while the system runs, for the doctor.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeForLocalUse, type Environment, type Ports } from './local-environment.js';

/**
 * Writes `running.json` into the data folder: the process and the variables that `npm start` sets, no secret and
 * nothing else of the environment.
 *
 * @returns removes the file
 */
export function writeRunningFile(dataFolder: string, environment: Environment, ports: Ports): () => void {
  const path = join(dataFolder, 'running.json');
  const names = Object.keys(completeForLocalUse({}, ports)).filter((name) => !name.startsWith('DEMO_'));
  const variables = Object.fromEntries(names.map((name) => [name, environment[name]]));
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify({ pid: process.pid, variables }, null, 2)}\n`, { mode: 0o600 });
  return () => rmSync(path, { force: true });
}
