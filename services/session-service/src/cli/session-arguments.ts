// Reads the command line of the session command.

import { parseArgs } from 'node:util';
import { UsageError } from '@tollgate/shared/config/command-error.js';
import { usageErrorOf } from '@tollgate/shared/config/command-line.js';

export const USAGE = `usage: session why ID [--user ID] [--json]
why says whether a session is alive, or when and why it ended. ID is the \`sid\` of the log and of GET /sessions.
--user is the \`uid\` beside it: without it all users are looked through.
It ends with 0 when something is known, with 3 when nothing is, with 1 when the store does not answer.`;

/** What to find out. */
export interface WhyCommand {
  readonly sid: string;
  readonly uid: number | undefined;
  readonly isJson: boolean;
}

/** @throws UsageError when it cannot be understood */
export function readSessionCommand(args: string[]): WhyCommand {
  const { positionals, values } = parse(args);
  const [name, sid, ...more] = positionals;
  if (name !== 'why' || sid === undefined || more.length > 0) throw new UsageError();
  if (!/^[A-Za-z0-9]{22}$/.test(sid)) throw new UsageError('a session id has 22 letters and digits');
  return { sid, uid: values.user === undefined ? undefined : userId(values.user), isJson: values.json };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { user: { type: 'string' }, json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
  } catch (error) {
    throw usageErrorOf(error);
  }
}

function userId(text: string): number {
  const uid = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(uid)) throw new UsageError('a user id is a whole number from 1');
  return uid;
}
