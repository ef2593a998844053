// The demo account: made, or its password set again, at each start, through the users command.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Environment } from './settings.js';
import { StartError } from './start-error.js';

export interface Account {
  readonly email: string;
  readonly password: string;
}

const usersCommand = fileURLToPath(
  new URL('../../../services/session-service/dist/src/cli/users.js', import.meta.url),
);

/** Whether the accounts are in this system's own directory, the only one that it writes to. */
export function ownsDirectory(environment: Environment): boolean {
  return (environment.USERS_URL || 'file:').startsWith('file:');
}

/**
 * Makes the account or sets its password again.
 * @throws {StartError} with the command's own lines
 */
export async function saveAccount(account: Account, environment: Environment): Promise<void> {
  const command = spawn(process.execPath, [usersCommand, 'add', account.email, '--replace'], {
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let complaint = '';
  command.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  // A command that refuses its arguments leaves without reading; what it says on stderr is the reason.
  command.stdin.on('error', () => undefined);
  command.stdin.end(`${account.password}\n`);
  const code = await new Promise((resolve) => command.once('close', resolve));
  if (code !== 0) {
    throw new StartError(complaint.trim() || `The account ${account.email} could not be made.`);
  }
}
