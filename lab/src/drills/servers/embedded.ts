// The stores of one machine: sessions, challenges and users in files of one folder, shared by all four processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emailOf, PASSWORD } from '@tollgate/test-support/static-directory.js';
import type { Environment } from '@tollgate/tools/launcher/local-environment.js';
import type { Lab, Topology } from './lab.js';

/** The topology. */
export interface OnFiles extends Topology {
  /** Absolute path of the folder with the files. */
  readonly folder: string;
  /** The file of sessions and challenges, and that of the users. */
  readonly files: readonly [store: string, users: string];
}

interface FilesOptions {
  /** Creates the folder; a plain one by default. */
  readonly makeFolder?: (lab: Lab, folder: string) => void;
  /** Program and arguments that start each service. */
  readonly under?: (lab: Lab) => readonly string[];
}

/** Each is created by one process. */
const USERS = 3;

const USERS_COMMAND = fileURLToPath(
  new URL('../../../../../services/session-service/dist/src/cli/users.js', import.meta.url),
);

/** Opens the topology; its users are created with the `users` command. */
export function onFiles({ makeFolder = (_lab, folder) => mkdirSync(folder), under }: FilesOptions = {}) {
  return async (lab: Lab): Promise<OnFiles> => {
    const folder = join(lab.folder, 'data');
    makeFolder(lab, folder);
    const [storeFile, usersFile] = [join(folder, 'store.db'), join(folder, 'users.db')];
    const environment = {
      DATA_DIR: folder,
      STORE_URL: `file:${storeFile}`,
      USERS_URL: `file:${usersFile}`,
    };
    const people = Array.from({ length: USERS }, (_, at) => emailOf(at + 1));
    for (const email of people) await addUser(lab, email, environment);
    return {
      environment,
      folder,
      files: [storeFile, usersFile],
      people,
      ...(under && { under: under(lab) }),
    };
  };
}

/**
 * Adds a user with the `users` command.
 * @param environment names the file
 * @param under program and arguments that start the command
 */
export async function addUser(
  lab: Lab,
  email: string,
  environment: Environment,
  under: readonly string[] = [],
): Promise<void> {
  const [program = '', ...args] = [...under, process.execPath, USERS_COMMAND, 'add', email];
  const command = spawn(program, args, {
    env: { ...lab.environment, ...environment },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const complaint = command.stderr.setEncoding('utf8').toArray();
  command.stdin.on('error', () => {});
  command.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(command, 'close');
  if (code !== 0) throw new Error(`users add failed: ${(await complaint).join('')}`);
}
