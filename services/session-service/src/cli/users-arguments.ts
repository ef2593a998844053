// Reads the command line of the users command.

import { parseArgs } from 'node:util';
import { CommandError, UsageError, usageErrorOf } from '@tollgate/shared/config/command-line.js';

export const USAGE = `usage: users add EMAIL [--replace]
       users password EMAIL
       users disable EMAIL
       users enable EMAIL
       users list
A password is asked for on the terminal, or read from the first line of the input.`;

const ACTIONS = ['add', 'replace', 'password', 'disable', 'enable'] as const;

/** What to do; `replace` is `add --replace`. */
export type UsersCommand =
  | { readonly action: (typeof ACTIONS)[number]; readonly email: string }
  | { readonly action: 'list' };

/**
 * @throws UsageError when it cannot be understood
 * @throws CommandError when the address is none
 */
export function readUsersCommand(args: string[]): UsersCommand {
  const { names, replace } = parse(args);
  const [name, email, ...more] = names;
  if (name === 'list' && email === undefined && !replace) return { action: name };
  const action = ACTIONS.find((known) => known === name && known !== 'replace');
  if (action === undefined || email === undefined || more.length > 0 || (replace && action !== 'add')) {
    throw new UsageError();
  }
  return { action: replace ? 'replace' : action, email: checkEmail(email) };
}

function parse(args: string[]): { names: string[]; replace: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: { replace: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    return { names: positionals, replace: values.replace };
  } catch (error) {
    throw usageErrorOf(error);
  }
}

/** Refuses what cannot be an address, so that a slip of the hand makes no account. */
function checkEmail(email: string): string {
  const trimmed = email.trim();
  if (!/^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(trimmed) || trimmed.length > 254) {
    throw new CommandError('that is no e-mail address');
  }
  return trimmed;
}
