// The command that prints the hash of a password, for accounts in a directory that `users` does not manage.

import { isProgram, runCommand, UsageError } from '@tollgate/shared/config';
import { hashPassword } from '../passwords/password-hash.js';
import { readNewPassword, type Terminal } from './password-input.js';

const USAGE = `usage: hash-password
Prints the argon2id hash of a password, for the table of a PostgreSQL directory.
The password is asked for on the terminal, or read from the first line of the input.`;

/** Runs the command and returns the exit code: 0, 1 if the password is not usable, 2 if there are arguments. */
export async function runHashPassword(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand({ name: 'hash-password', usage: USAGE, args }, async () => {
    // Not repeated: they may be the password.
    if (args.length > 0) throw new UsageError('Unexpected arguments');
    console.log(await hashPassword(await readNewPassword(terminal)));
    return 0;
  });
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runHashPassword(process.argv.slice(2), {
    input: process.stdin,
    prompts: process.stderr,
  });
}
