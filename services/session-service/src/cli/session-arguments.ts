// Reads the command line of the session command.

import { parseArgs } from 'node:util';
import { UsageError, usageErrorOf } from '@tollgate/shared/config/command-line.js';

export const USAGE = `usage: session why ID [--user ID] [--json]
       session account EMAIL [--user ID] [--json]
why says whether a session is alive, or when and why it ended. ID is the \`sid\` of the log and of GET /sessions.
--user is the \`uid\` beside it: without it all users are looked through.
account lists what happened to an account: its log-ins, those that failed, and the sessions of its user.
--user adds the sessions of a user whose log-ins are not known any more. It needs CHALLENGE_SECRET, or that of npm start.
It ends with 0 when something is known, with 3 when nothing is, with 1 when the store does not answer.`;

/** What to find out. */
export type SessionCommand = {
  readonly uid: number | undefined;
  readonly isJson: boolean;
} & ({ readonly name: 'why'; readonly sid: string } | { readonly name: 'account'; readonly email: string });

/** @throws UsageError when it cannot be understood */
export function readSessionCommand(args: string[]): SessionCommand {
  const { positionals, values } = parse(args);
  const [name, subject, ...more] = positionals;
  if (subject === undefined || more.length > 0) throw new UsageError();
  if (name === 'why' && !/^[A-Za-z0-9]{22}$/.test(subject)) {
    throw new UsageError('a session id has 22 letters and digits');
  }
  const options = { uid: values.user === undefined ? undefined : userId(values.user), isJson: values.json };
  if (name === 'why') return { name, sid: subject, ...options };
  if (name !== 'account') throw new UsageError();
  if (subject.trim() === '') throw new UsageError('the e-mail address must not be empty');
  return { name, email: subject, ...options };
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
