// The command that manages the users of the embedded directory.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CommandError,
  isProgram,
  runCommand,
  UsageError,
  usageErrorOf,
} from '@tollgate/shared/config/command-line.js';
import { withSecretsFromFiles } from '@tollgate/shared/config/secret-files.js';
import { DirectoryUnavailableError } from '../directory/directory.js';
import { type EmbeddedDirectory, openEmbeddedDirectory } from '../directory/embedded-directory.js';
import { parseUsersUrl, type UsersLocation } from '../directory/users-url.js';
import { readNewPassword, type Terminal } from './password-input.js';
import { PROJECT_ROOT } from './service-data.js';
import {
  addOrReplaceUser,
  addUser,
  backUpUsers,
  listUsers,
  setUserDisabled,
  setUserPassword,
} from './user-actions.js';

const USAGE = `usage: users add EMAIL [--replace]
       users password EMAIL
       users disable EMAIL
       users enable EMAIL
       users list
       users backup FILE
A password is asked for on the terminal, or read from the first line of the input.
backup writes a copy of all users into a new file, also while the service runs.`;

const ACTIONS = ['add', 'replace', 'password', 'disable', 'enable'] as const;

/** The parsed command line; `replace` is `add --replace`. */
type UsersCommand =
  | { readonly action: (typeof ACTIONS)[number]; readonly email: string }
  | { readonly action: 'backup'; readonly target: string }
  | { readonly action: 'list' };

/**
 * Parses the command line.
 * @throws UsageError if it is invalid
 * @throws CommandError if the address is invalid
 */
function readUsersCommand(args: string[]): UsersCommand {
  const { positionals, replace } = parse(args);
  const [name, email, ...more] = positionals;
  if (name === 'list' && email === undefined && !replace) return { action: name };
  if (name === 'backup' && email !== undefined && more.length === 0 && !replace) {
    return { action: name, target: resolve(email) };
  }
  const action = ACTIONS.find((known) => known === name && known !== 'replace');
  if (action === undefined || email === undefined || more.length > 0 || (replace && action !== 'add')) {
    throw new UsageError();
  }
  return { action: replace ? 'replace' : action, email: checkEmail(email) };
}

function parse(args: string[]): { positionals: string[]; replace: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { replace: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    return { positionals, replace: values.replace };
  } catch (error) {
    throw usageErrorOf(error);
  }
}

/** Refuses a text that cannot be an e-mail address, so that a typo creates no account. */
function checkEmail(email: string): string {
  const trimmed = email.trim();
  if (!/^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(trimmed) || trimmed.length > 254) {
    throw new CommandError('that is no e-mail address');
  }
  return trimmed;
}

/**
 * The path of the users' file, from DATA_DIR and USERS_URL; as in the service, an empty variable counts as unset.
 * @throws CommandError if USERS_URL names another kind of directory
 */
function usersPath(env: NodeJS.ProcessEnv): string {
  const { DATA_DIR, USERS_URL } = withSecretsFromFiles(env, ['USERS_URL']);
  if (!USERS_URL) return resolve(PROJECT_ROOT, DATA_DIR || './data', 'users.db');
  const location = parseLocation(USERS_URL);
  if (location.kind === 'embedded') return location.path;
  throw new CommandError(
    `USERS_URL is ${location.kind}: the users live elsewhere and are managed there, not by this command`,
  );
}

function parseLocation(url: string): UsersLocation {
  try {
    return parseUsersUrl(url, PROJECT_ROOT);
  } catch (error) {
    throw new CommandError(`USERS_URL ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

/**
 * Only adding a user creates the file: in the wrong folder any other action would find no users and leave an empty file.
 * @throws CommandError if the file does not exist
 */
function checkedPath(path: string, { action }: UsersCommand): string {
  if (action === 'add' || action === 'replace' || existsSync(path)) return path;
  throw new CommandError(`there is no ${path}: set DATA_DIR or USERS_URL, or add the first user`);
}

async function runAction(
  directory: EmbeddedDirectory,
  command: UsersCommand,
  terminal: Terminal,
): Promise<string> {
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
    case 'backup':
      return backUpUsers(directory, command.target);
    case 'list':
      return listUsers(directory);
  }
}

/** Runs one command and returns the exit code: 0, 1 if it failed, 2 if the command line is invalid. */
export async function runUsers(args: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const expected = [DirectoryUnavailableError];
  return runCommand({ name: 'users', usage: USAGE, args, expected }, async () => {
    const command = readUsersCommand(args);
    const directory = openEmbeddedDirectory(checkedPath(usersPath(env), command));
    try {
      const text = await runAction(directory, command, terminal);
      if (text !== '') console.log(text);
    } finally {
      await directory.close();
    }
    return 0;
  });
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runUsers(process.argv.slice(2), process.env, {
    input: process.stdin,
    prompts: process.stderr,
  });
}
