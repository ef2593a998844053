// The command `session`: explains why a session ended, lists the events of an account, and looks after the store.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Static, Type } from '@sinclair/typebox';
import {
  checkSecrets,
  isProgram,
  readEnvironment,
  runCommand,
  SecretVariables,
  StoreVariables,
  storeUrlOf,
  UsageError,
  usageErrorOf,
} from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import { isUserId, readUserId, USER_ID_WORDS, type UserId } from '@tollgate/shared/schemas';
import { hasEntryOf, openRevocationLog } from '@tollgate/shared/sessions';
import { type Store, StoreUnavailableError } from '@tollgate/shared/store';
import { SessionVariables } from '../config.js';
import { openSessionStore } from '../stores/open-session-store.js';
import { findAccount, reportAccount } from './account-report.js';
import { hasControlCharacters } from './email-address.js';
import type { Report } from './report.js';
import { challengeSecret, withStore } from './service-data.js';
import { reportSession } from './session-report.js';
import { acceptDirectory, backUpStore } from './store-actions.js';

const USAGE = `usage: session why ID [--user ID] [--json]
       session account EMAIL [--user ID] [--json]
       session backup FILE
       session accept-directory
why reports whether a session is alive, or when and why it ended. ID is the \`sid\` of the log and of GET /sessions.
--user is the \`uid\` beside it: without it all users are searched.
account lists what happened to an account: its logins, those that failed, and the sessions of its user.
--user adds the sessions of a user whose logins are no longer stored. It needs CHALLENGE_SECRET, or that of npm start.
backup writes a copy of the sessions in the embedded store into a new file, also while the service runs.
accept-directory makes the service take the user directory that it has now, after it has refused it as another one.
It ends with 0 when something is known, with 3 when nothing is, with 1 when the store does not respond.`;

/** The parsed command line of a lookup. */
type LookupCommand = {
  readonly uid: UserId | undefined;
  readonly isJson: boolean;
} & ({ readonly name: 'why'; readonly sid: string } | { readonly name: 'account'; readonly email: string });

/** The parsed command line. */
type SessionCommand =
  | LookupCommand
  | { readonly name: 'backup'; readonly target: string }
  | { readonly name: 'accept-directory' };

const Variables = Type.Object({
  ...StoreVariables,
  AUDIT_TTL: SessionVariables.AUDIT_TTL,
  CHALLENGE_SECRET: Type.Optional(SecretVariables.CHALLENGE_SECRET),
});
type Values = Static<typeof Variables>;

/**
 * Parses the command line.
 * @throws UsageError if it is invalid
 */
function readSessionCommand(args: string[]): SessionCommand {
  const { positionals, values } = parse(args);
  const [name, subject, ...more] = positionals;
  const hasOptions = values.json || values.user !== undefined;
  if (name === 'accept-directory' && subject === undefined && !hasOptions) return { name };
  if (subject === undefined || more.length > 0) throw new UsageError();
  if (name === 'why' && !/^[A-Za-z0-9]{22}$/.test(subject)) {
    throw new UsageError('a session id has 22 letters and digits');
  }
  if (name === 'backup' && !hasOptions) return { name, target: resolve(subject) };
  const options = { uid: values.user === undefined ? undefined : userId(values.user), isJson: values.json };
  if (name === 'why') return { name, sid: subject, ...options };
  if (name !== 'account') throw new UsageError();
  if (subject.trim() === '') throw new UsageError('the e-mail address must not be empty');
  if (hasControlCharacters(subject)) throw new UsageError('not an e-mail address');
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

function userId(text: string): UserId {
  const uid = readUserId(text);
  if (!isUserId(uid)) throw new UsageError(`a user id is ${USER_ID_WORDS}`);
  return uid;
}

/**
 * Runs one command and returns the exit code: 0, 1 if it failed, 2 if the command line is invalid, 3 if there is no data.
 */
export async function runSession(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const expected = [StoreUnavailableError];
  return runCommand({ name: 'session', usage: USAGE, args, expected }, async () => {
    const command = readSessionCommand(args);
    const values = readEnvironment(Variables, env, ({ CHALLENGE_SECRET }) =>
      command.name === 'account' ? checkSecrets({ CHALLENGE_SECRET }) : [],
    );
    const onStore = <T>(use: (store: Store) => Promise<T>) => withStore('STORE_URL', storeUrlOf(values), use);
    if (command.name === 'backup') {
      console.log(await onStore((store) => backUpStore(store, command.target)));
      return 0;
    }
    if (command.name === 'accept-directory') {
      console.log(await onStore(acceptDirectory));
      return 0;
    }
    const lookUp = command.name === 'why' ? explainSession(command, values) : listAccount(command, values);
    const { isKnown, lines, facts } = await onStore(lookUp);
    console.log(command.isJson ? JSON.stringify(facts) : lines.join('\n'));
    return isKnown ? 0 : 3;
  });
}

type Lookup = (store: Store) => Promise<Report>;

function explainSession({ sid, uid }: LookupCommand & { name: 'why' }, { AUDIT_TTL }: Values): Lookup {
  return async (store) => {
    const result = await openSessionStore(store).find(sid, uid);
    const isRevoked = await hasEntryOf(openRevocationLog(store), sid);
    return reportSession(sid, { ...result, isRevoked }, AUDIT_TTL);
  };
}

function listAccount(command: LookupCommand & { name: 'account' }, values: Values): Lookup {
  const ring = openKeyRing(challengeSecret(values));
  return async (store) => reportAccount(await findAccount(store, ring, command), values.AUDIT_TTL);
}

if (isProgram(import.meta.url)) {
  process.exitCode = await runSession(process.argv.slice(2), process.env);
}
