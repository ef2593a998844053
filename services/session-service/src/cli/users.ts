// The command that manages the users of the embedded directory.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CommandError, runCommand } from '@tollgate/shared/config/command-line.js';
import { DirectoryUnavailableError } from '../directory/directory.js';
import { type EmbeddedDirectory, openEmbeddedDirectory } from '../directory/embedded-directory.js';
import { parseUsersUrl, type UsersPlace } from '../directory/users-url.js';
import { readNewPassword, type Terminal } from './password-input.js';
import { PROJECT_ROOT } from './project-root.js';
import { addOrReplaceUser, addUser, listUsers, setUserDisabled, setUserPassword } from './user-actions.js';
import { readUsersCommand, USAGE, type UsersCommand } from './users-arguments.js';

/**
 * The file that the users are in, from DATA_DIR and USERS_URL (decisions 4); empty counts as unset, as in the service.
 * @throws CommandError when the users live elsewhere
 */
function usersPath({ DATA_DIR, USERS_URL }: NodeJS.ProcessEnv): string {
  if (!USERS_URL) return resolve(PROJECT_ROOT, DATA_DIR || './data', 'users.mdb');
  const place = placeOf(USERS_URL);
  if (place.kind === 'embedded') return place.path;
  throw new CommandError(
    `USERS_URL is ${place.kind}: the users live elsewhere and are managed there, not by this command`,
  );
}

function placeOf(url: string): UsersPlace {
  try {
    return parseUsersUrl(url, PROJECT_ROOT);
  } catch (error) {
    throw new CommandError(`USERS_URL ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

/**
 * Only a user who is added makes the file: in the wrong folder everything else would find nobody and leave an empty one.
 * @throws CommandError when there is no such file
 */
function checkedPath(path: string, { action }: UsersCommand): string {
  if (action === 'add' || action === 'replace' || existsSync(path)) return path;
  throw new CommandError(`there is no ${path}: set DATA_DIR or USERS_URL, or add the first user`);
}

async function act(directory: EmbeddedDirectory, command: UsersCommand, terminal: Terminal): Promise<string> {
  const ask = () => readNewPassword(terminal);
  switch (command.action) {
    case 'add':
      return addUser(directory, command.email, ask);
    case 'replace':
      return addOrReplaceUser(directory, command.email, ask);
    case 'password':
      return setUserPassword(directory, command.email, ask);
    case 'disable':
      return setUserDisabled(directory, command.email, true);
    case 'enable':
      return setUserDisabled(directory, command.email, false);
    case 'list':
      return listUsers(directory);
  }
}

/** Runs one command and returns the exit code: 0, 1 when it failed, 2 when it was not understood. */
async function run(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const expected = [DirectoryUnavailableError];
  return runCommand({ name: 'users', usage: USAGE, args, expected }, async () => {
    const command = readUsersCommand(args);
    const directory = openEmbeddedDirectory(checkedPath(usersPath(env), command));
    try {
      const text = await act(directory, command, terminal);
      if (text !== '') console.log(text);
    } finally {
      await directory.close();
    }
    return 0;
  });
}

process.exitCode = await run(process.argv.slice(2), process.env, {
  input: process.stdin,
  prompts: process.stderr,
});
