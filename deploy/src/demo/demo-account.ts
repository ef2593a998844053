// The demo account: each start creates it, or sets its password again, through the command `users`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Environment, StartError } from '../launcher/local-environment.js';

export interface Account {
  readonly email: string;
  readonly password: string;
}

const shortestPassword = 8;
const longestPasswordBytes = 1024;
const longestEmail = 254;

const usersCommand = fileURLToPath(
  new URL('../../../../services/session-service/dist/src/cli/users.js', import.meta.url),
);

/** Whether the accounts are in the embedded directory, the only one that the launcher writes to. */
export function ownsDirectory(environment: Environment): boolean {
  return (environment.USERS_URL || 'file:').startsWith('file:');
}

/**
 * Checks `DEMO_EMAIL` and `DEMO_PASSWORD` by the rules of the command `users`.
 * @throws {StartError} a line for each that is set and cannot be used, without the password
 */
export function checkDemoAccount({ DEMO_EMAIL: email, DEMO_PASSWORD: password }: Environment): void {
  const mistakes: string[] = [];
  const isAddress = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(email?.trim() ?? '');
  if (email && (!isAddress || email.trim().length > longestEmail)) {
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
 * Creates the account or sets its password again.
 * @throws {StartError} with the lines of the command
 */
export async function saveAccount(account: Account, environment: Environment): Promise<void> {
  const command = spawn(process.execPath, [usersCommand, 'add', account.email, '--replace'], {
    env: environment,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  command.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  // A command that refuses its arguments exits without reading its input; stderr has the reason.
  command.stdin.on('error', () => undefined);
  command.stdin.end(`${account.password}\n`);
  const code = await new Promise((resolve) => command.once('close', resolve));
  if (code !== 0) {
    throw new StartError(errors.trim() || `The account ${account.email} could not be made.`);
  }
}
