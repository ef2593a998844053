// The command line of `users`.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError, usageErrorOf } from '@tollgate/shared/config';
import { isUserId, USER_ID_WORDS } from '@tollgate/shared/schemas';
import { checkEmail } from '../email-address.js';

/** The usage of the command `users`. */
export const USERS_USAGE = `usage: users add EMAIL [--replace]
       users add EMAIL --id ID
       users password EMAIL
       users rename EMAIL NEW-EMAIL
       users claims EMAIL JSON
       users disable EMAIL
       users enable EMAIL
       users delete EMAIL
       users import FILE
       users list
       users export FILE
       users backup FILE
A password is asked for on the terminal, or read from the first line of the input.
password, add --replace and delete end the sessions of the user in the store of STORE_URL, or that of DATA_DIR.
claims replaces what tokens say of the user beside id and address; {} is nothing.
A user gets the next number as id, or the text of --id, such as a UUID (in an import the text or number of "id"), for good.
import adds the users of a file of JSON lines, {"email": "…", "hash": "…"}: all of them, or none if a line is wrong.
export writes all users, with their hashes, into a new file that import reads in another installation.
backup writes a copy of all users into a new file, also while the service runs.`;

const ACTIONS = ['password', 'disable', 'enable', 'delete'] as const;

/** The parsed command line; `replace` is `add --replace`. */
export type UsersCommand =
  | { readonly action: 'add'; readonly email: string; readonly id: string | undefined }
  | { readonly action: 'replace' | (typeof ACTIONS)[number]; readonly email: string }
  | { readonly action: 'rename'; readonly email: string; readonly newEmail: string }
  | { readonly action: 'claims'; readonly email: string; readonly json: string }
  | { readonly action: 'backup' | 'export' | 'import'; readonly file: string }
  | { readonly action: 'list' };

/**
 * Parses the command line.
 * @throws UsageError if it is invalid
 * @throws CommandError if the address is invalid
 */
export function readUsersCommand(args: string[]): UsersCommand {
  const { positionals, replace, id } = parse(args);
  const [name, subject, second, ...more] = positionals;
  const hasOne = subject !== undefined && second === undefined;
  if ((replace || id !== undefined) && name !== 'add') throw new UsageError();
  if (replace && id !== undefined) throw new UsageError('--replace keeps the id of the user');
  if (id !== undefined && !isUserId(id)) throw new UsageError(`the id is not ${USER_ID_WORDS}`);
  if (name === 'list' && subject === undefined) return { action: name };
  if ((name === 'backup' || name === 'export' || name === 'import') && hasOne)
    return { action: name, file: resolve(subject) };
  if (name === 'rename' && subject !== undefined && second !== undefined && more.length === 0)
    return { action: name, email: checkEmail(subject), newEmail: checkEmail(second) };
  if (name === 'claims' && subject !== undefined && second !== undefined && more.length === 0)
    return { action: name, email: checkEmail(subject), json: second };
  if (!hasOne) throw new UsageError();
  if (name === 'add') {
    const email = checkEmail(subject);
    return replace ? { action: 'replace', email } : { action: name, email, id };
  }
  const action = ACTIONS.find((known) => known === name);
  if (action === undefined) throw new UsageError();
  return { action, email: checkEmail(subject) };
}

function parse(args: string[]): { positionals: string[]; replace: boolean; id: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { replace: { type: 'boolean', default: false }, id: { type: 'string' } },
      allowPositionals: true,
    });
    return { positionals, replace: values.replace, id: values.id };
  } catch (error) {
    throw usageErrorOf(error);
  }
}
