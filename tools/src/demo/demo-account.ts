// The demo account: each start creates it or resets its password, as `users add --replace` does.
import { join } from 'node:path';
import { isEmailAddress } from '@tollgate/session-service/cli/email-address.js';
import { addOrReplaceUser } from '@tollgate/session-service/cli/user-actions.js';
import { DirectoryUnavailableError } from '@tollgate/session-service/directory/directory.js';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { parseUsersUrl } from '@tollgate/session-service/directory/users-url.js';
import { CommandError } from '@tollgate/shared/config';
import { type Environment, projectRoot, StartError } from '../launcher/local-environment.js';

export interface Account {
  readonly email: string;
  readonly password: string;
}

const shortestPassword = 8;
const longestPasswordBytes = 1024;

/** Whether accounts are in the embedded directory, the only one that the launcher writes to. */
export function ownsDirectory(environment: Environment): boolean {
  return (environment.USERS_URL || 'file:').startsWith('file:');
}

/**
 * Checks `DEMO_EMAIL` and `DEMO_PASSWORD` by the rules of the `users` command.
 * @throws {StartError} a line for each invalid variable, without the password
 */
export function checkDemoAccount({ DEMO_EMAIL: email, DEMO_PASSWORD: password }: Environment): void {
  const mistakes: string[] = [];
  if (email && !isEmailAddress(email)) {
    mistakes.push('DEMO_EMAIL must be an e-mail address, such as demo@example.com.');
  }
  const isOneLine = !/[\r\n]/.test(password ?? '');
  const isLongEnough = [...(password ?? '')].length >= shortestPassword;
  if (password && !(isOneLine && isLongEnough && Buffer.byteLength(password) <= longestPasswordBytes)) {
    mistakes.push(
      `DEMO_PASSWORD must have at least ${shortestPassword} characters, at most ${longestPasswordBytes} bytes, and no line break.`,
    );
  }
  if (mistakes.length > 0) throw new StartError(mistakes.join('\n'));
}

/**
 * Creates accounts or resets their passwords.
 * @param environment that of the session service, whose directory is embedded
 * @throws {StartError} with the reason
 */
export async function saveAccounts(accounts: readonly Account[], environment: Environment): Promise<void> {
  try {
    const directory = openEmbeddedDirectory(usersPath(environment));
    try {
      for (const { email, password } of accounts) {
        await addOrReplaceUser(directory, email, async () => password);
      }
    } finally {
      await directory.close();
    }
  } catch (error) {
    const isForeseen = error instanceof DirectoryUnavailableError || error instanceof CommandError;
    throw isForeseen ? new StartError(error.message) : error;
  }
}

function usersPath({ USERS_URL, DATA_DIR = '' }: Environment): string {
  const location = parseUsersUrl(USERS_URL || `file:${join(DATA_DIR, 'users.db')}`, projectRoot);
  if (location.kind === 'embedded') return location.path;
  throw new TypeError('only the embedded directory is written to');
}
