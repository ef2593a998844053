// The actions of the command `users` on the directory; each returns the text to print.

import { accountKey } from '@tollgate/shared/challenges';
import { CommandError } from '@tollgate/shared/config';
import {
  fitsTokens,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
  type UserId,
} from '@tollgate/shared/schemas';
import { type DirectoryUser, withAccounts } from '../directory/directory.js';
import type { EmbeddedDirectory } from '../directory/embedded-directory.js';
import { hashPassword } from '../passwords/password-hash.js';
import { writeNewFile } from './new-file.js';

/** Asks for a new password; called only if it is needed. */
type AskPassword = () => Promise<string>;

/**
 * Ends the sessions of a user before and after a change, and returns the text of the change with that of the end.
 * @param change throws if it changed nothing
 */
export type EndAround = (
  uid: UserId,
  reason: 'password' | 'user_gone',
  change: () => Promise<string>,
) => Promise<string>;

/** Ends no session. */
export const changeOnly: EndAround = (_uid, _reason, change) => change();

/**
 * @param id a text id; by default the next number
 * @throws CommandError if the address or the id is taken
 */
export async function addUser(
  directory: EmbeddedDirectory,
  email: string,
  ask: AskPassword,
  id?: string,
): Promise<string> {
  const what = (await directory.takenOf([{ email, hash: '', id }])).get(0);
  if (what === 'address') throw taken(email);
  if (what === 'id') throw new CommandError(`the id ${id} is taken, by a user or by one who was deleted`);
  const user = await directory.add(email, await hashPassword(await ask()), id);
  if (user === undefined) throw taken(email);
  return `added ${user.email} as user ${user.id}`;
}

/** Adds a user, or sets the password of an existing one, which stays enabled or disabled. */
export async function addOrReplaceUser(
  directory: EmbeddedDirectory,
  email: string,
  ask: AskPassword,
  end: EndAround = changeOnly,
): Promise<string> {
  const hash = await hashPassword(await ask());
  const user = await findUser(directory, email);
  if (user !== undefined) return replaceHash(directory, email, { uid: user.id, hash }, end);
  const added = await directory.add(email, hash);
  if (added === undefined) throw taken(email);
  return `added ${added.email} as user ${added.id}`;
}

/** @throws CommandError if the user is unknown */
export async function setUserPassword(
  directory: EmbeddedDirectory,
  email: string,
  ask: AskPassword,
  end: EndAround,
): Promise<string> {
  if ((await findUser(directory, email)) === undefined) throw unknown(email);
  const hash = await hashPassword(await ask());
  // The address may belong to another user by now.
  const user = await findUser(directory, email);
  if (user === undefined) throw unknown(email);
  return replaceHash(directory, email, { uid: user.id, hash }, end);
}

function replaceHash(
  directory: EmbeddedDirectory,
  email: string,
  { uid, hash }: { readonly uid: UserId; readonly hash: string },
  end: EndAround,
): Promise<string> {
  return end(uid, 'password', async () => {
    const user = await directory.setPassword(email, hash);
    if (user === undefined) throw unknown(email);
    return `set the password of ${user.email}`;
  });
}

/** @throws CommandError if the user is unknown, or the new address is taken */
export async function renameUser(
  directory: EmbeddedDirectory,
  email: string,
  newEmail: string,
): Promise<string> {
  const before = await findUser(directory, email);
  if (!fitsTokens(newEmail, before?.claims)) throw tooLong();
  const user = await directory.rename(email, newEmail);
  if (user === undefined) throw unknown(email);
  if (user === 'taken') throw new CommandError(`${newEmail} is taken`);
  return `user ${user.id} is ${user.email} now${await purge(directory)}`;
}

/** @throws CommandError if the user is unknown, or the text is not a JSON object or too long */
export async function setUserClaims(
  directory: EmbeddedDirectory,
  email: string,
  json: string,
): Promise<string> {
  const claims = readUserClaims(json);
  if (claims === null || json.trim() === '')
    throw new CommandError(`claims must be a JSON object of at most ${MAX_CLAIMS_BYTES} bytes`);
  const before = await findUser(directory, email);
  if (before !== undefined && !fitsTokens(before.email, claims)) throw tooLong();
  const user = await directory.setClaims(email, claims);
  if (user === undefined) throw unknown(email);
  return `set the claims of ${user.email}`;
}

/** @throws CommandError if the user is unknown */
export async function deleteUser(
  directory: EmbeddedDirectory,
  email: string,
  end: EndAround,
): Promise<string> {
  const user = await findUser(directory, email);
  if (user === undefined) throw unknown(email);
  let remains = '';
  const done = await end(user.id, 'user_gone', async () => {
    if ((await directory.remove(email)) === undefined) throw unknown(email);
    remains = await purge(directory);
    return `deleted ${user.email}`;
  });
  return done + remains;
}

/** Removes the old data from the file. Returns words to append. */
async function purge(directory: EmbeddedDirectory): Promise<string> {
  return (await directory.purge())
    ? ''
    : '; the file could not be rewritten, and may have the old data until the next deletion';
}

/** @throws CommandError if the user is unknown */
export async function setUserDisabled(
  directory: EmbeddedDirectory,
  email: string,
  disabled: boolean,
): Promise<string> {
  const user = await directory.setDisabled(email, disabled);
  if (user === undefined) throw unknown(email);
  return `${disabled ? 'disabled' : 'enabled'} ${user.email}`;
}

/**
 * One line per user: id, address and state, separated by tabs. If users share an account key, each line but the first says
 * so: the file is from a version that treated their spellings as several accounts.
 */
export async function listUsers(directory: EmbeddedDirectory): Promise<string> {
  const first = new Map<string, UserId>();
  const lines = (await directory.list()).map(({ id, email, disabled }) => {
    const key = accountKey(email);
    const other = first.get(key);
    if (other === undefined) first.set(key, id);
    const same = other === undefined ? '' : `\tsame account as ${other}`;
    return `${id}\t${email}\t${disabled ? 'disabled' : 'enabled'}${same}`;
  });
  return lines.join('\n');
}

/** @throws CommandError if the target exists or cannot be written */
export async function backUpUsers(directory: EmbeddedDirectory, target: string): Promise<string> {
  const { length } = await directory.list();
  writeNewFile(target, directory.copyTo);
  return `copied ${length} ${length === 1 ? 'user' : 'users'} to ${target}`;
}

/** The user of an address, as a login finds it. */
function findUser(directory: EmbeddedDirectory, email: string): Promise<DirectoryUser | undefined> {
  return withAccounts(directory, () => {}).findByAccount(email);
}

function taken(email: string): CommandError {
  return new CommandError(`${email} is taken; --replace sets its password`);
}

function unknown(email: string): CommandError {
  return new CommandError(`there is no user ${email}`);
}

function tooLong(): CommandError {
  return new CommandError(`email and claims of a user may have at most ${MAX_USER_BYTES} bytes together`);
}
