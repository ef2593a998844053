// The command `users`: manages the users of the embedded directory.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  CommandError,
  isProgram,
  readEnvironment,
  runCommand,
  withSecretsFromFiles,
} from '@tollgate/shared/config';
import { StoreUnavailableError } from '@tollgate/shared/store';
import { DirectoryUnavailableError } from '../directory/directory.js';
import { type EmbeddedDirectory, openEmbeddedDirectory } from '../directory/embedded-directory.js';
import { parseUsersUrl, type UsersLocation } from '../directory/users-url.js';
import { readNewPassword, type Terminal } from './password-input.js';
import { PROJECT_ROOT } from './service-data.js';
import {
  addOrReplaceUser,
  addUser,
  backUpUsers,
  changeOnly,
  deleteUser,
  type EndAround,
  listUsers,
  renameUser,
  setUserClaims,
  setUserDisabled,
  setUserPassword,
} from './user-actions.js';
import { SessionEndVariables, withSessionEnd } from './users/end-user-sessions.js';
import { exportUsers } from './users/export-users.js';
import { importUsers } from './users/import-users.js';
import { readUsersCommand, USERS_USAGE, type UsersCommand } from './users/users-command.js';

/**
 * The path of the users file, from DATA_DIR and USERS_URL; as in the service, an empty variable counts as unset.
 * @throws CommandError if USERS_URL names another kind of directory
 */
function usersPath(env: NodeJS.ProcessEnv): string {
  const { DATA_DIR, USERS_URL } = withSecretsFromFiles(env, ['USERS_URL']);
  if (!USERS_URL) return resolve(PROJECT_ROOT, DATA_DIR || './data', 'users.db');
  const location = parseLocation(USERS_URL);
  if (location.kind === 'embedded') return location.path;
  throw new CommandError(`USERS_URL is ${location.kind}: its users are managed there, not by this command`);
}

function parseLocation(url: string): UsersLocation {
  try {
    return parseUsersUrl(url, PROJECT_ROOT);
  } catch (error) {
    throw new CommandError(`USERS_URL ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

const CREATES: readonly string[] = ['add', 'replace', 'import'] satisfies UsersCommand['action'][];
const ENDS_SESSIONS: readonly string[] = ['password', 'replace', 'delete'] satisfies UsersCommand['action'][];

/**
 * Only adding users creates the file: in the wrong folder any other action would find no users and create an empty file.
 * @throws CommandError if the file does not exist
 */
function checkedPath(path: string, { action }: UsersCommand): string {
  if (CREATES.includes(action) || existsSync(path)) return path;
  throw new CommandError(`there is no ${path}: set DATA_DIR or USERS_URL, or add the first user`);
}

async function runAction(
  directory: EmbeddedDirectory,
  command: UsersCommand,
  terminal: Terminal,
  end: EndAround,
): Promise<string> {
  const ask = () => readNewPassword(terminal);
  switch (command.action) {
    case 'add':
      return addUser(directory, command.email, ask, command.id);
    case 'replace':
      return addOrReplaceUser(directory, command.email, ask, end);
    case 'password':
      return setUserPassword(directory, command.email, ask, end);
    case 'rename':
      return renameUser(directory, command.email, command.newEmail);
    case 'claims':
      return setUserClaims(directory, command.email, command.json);
    case 'disable':
      return setUserDisabled(directory, command.email, true);
    case 'enable':
      return setUserDisabled(directory, command.email, false);
    case 'delete':
      return deleteUser(directory, command.email, end);
    case 'import':
      return importUsers(directory, command.file);
    case 'backup':
      return backUpUsers(directory, command.file);
    case 'export':
      return exportUsers(directory, command.file);
    case 'list':
      return listUsers(directory);
  }
}

/** Runs one command and returns the exit code: 0, 1 if it failed, 2 if the command line is invalid. */
export async function runUsers(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const expected = [DirectoryUnavailableError, StoreUnavailableError];
  return runCommand({ name: 'users', usage: USERS_USAGE, args, expected }, async () => {
    const command = readUsersCommand(args);
    const path = checkedPath(usersPath(env), command);
    const act = async (end: EndAround) => {
      const directory = openEmbeddedDirectory(path);
      try {
        const text = await runAction(directory, command, terminal, end);
        if (text !== '') console.log(text);
      } finally {
        await directory.close();
      }
    };
    if (ENDS_SESSIONS.includes(command.action))
      await withSessionEnd(readEnvironment(SessionEndVariables, env), act);
    else await act(changeOnly);
    return 0;
  });
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runUsers(process.argv.slice(2), process.env, {
    input: process.stdin,
    prompts: process.stderr,
  });
}
