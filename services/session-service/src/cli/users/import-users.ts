// Imports the users of a file into the directory: all of them, or none if one line is wrong.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { accountKey } from '@tollgate/shared/challenges';
import { CommandError } from '@tollgate/shared/config';
import {
  fitsTokens,
  isUserId,
  MAX_CLAIMS_BYTES,
  MAX_USER_BYTES,
  readUserClaims,
  USER_ID_WORDS,
  UserClaims,
  type UserId,
} from '@tollgate/shared/schemas';
import type { EmbeddedDirectory } from '../../directory/embedded-directory.js';
import { hashCost } from '../../passwords/password-hash.js';
import { isEmailAddress } from '../email-address.js';

/** A line of the file, in JSON. */
const ImportLine = Type.Object(
  {
    id: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
    email: Type.String(),
    hash: Type.String(),
    disabled: Type.Optional(Type.Boolean()),
    claims: Type.Optional(UserClaims),
  },
  { additionalProperties: false },
);
type ImportLine = Static<typeof ImportLine>;

const lineCheck = TypeCompiler.Compile(ImportLine);

/** A line that is valid so far. */
interface NumberedUser {
  readonly line: number;
  readonly user: ImportLine;
}

/**
 * Adds the users of a file of JSON lines. Empty lines are skipped.
 * @returns the text to print
 * @throws CommandError with a line for each mistake; then no user was added
 */
export async function importUsers(directory: EmbeddedDirectory, path: string): Promise<string> {
  const { users, mistakes } = readUsers(readText(path));
  const found = users.map(({ user }) => user);
  const taken = mistakes.size > 0 ? await directory.takenOf(found) : await directory.addAll(found);
  for (const [place, what] of taken) mistakes.set(users[place]?.line ?? 0, `the ${what} is taken`);
  if (mistakes.size > 0) {
    const lines = [...mistakes].toSorted(([one], [other]) => one - other);
    throw new CommandError(lines.map(([line, mistake]) => `${path}:${line}: ${mistake}`).join('\n'));
  }
  return `added ${users.length} ${users.length === 1 ? 'user' : 'users'}`;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { message } = error as Error;
    throw new CommandError(`${path} cannot be read: ${message}`, { cause: error });
  }
}

/** Reads every line; `mistakes` has the mistake of each wrong one by number. */
function readUsers(text: string) {
  const users: NumberedUser[] = [];
  const mistakes = new Map<number, string>();
  const lineOf = new Map<string, number>();
  const lineOfId = new Map<UserId, number>();
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const user = readLine(content);
    const key = typeof user === 'string' ? '' : accountKey(user.email);
    const before = lineOf.get(key);
    if (typeof user === 'string') mistakes.set(line, user);
    else if (before !== undefined) mistakes.set(line, `the address is the same as in line ${before}`);
    else if (user.id !== undefined && lineOfId.has(user.id))
      mistakes.set(line, `the id is the same as in line ${lineOfId.get(user.id)}`);
    else {
      lineOf.set(key, line);
      if (user.id !== undefined) lineOfId.set(user.id, line);
      users.push({ line, user });
    }
  }
  return { users, mistakes };
}

/** Returns the user of a line, or its mistake; never a value of the line, which may be secret. */
function readLine(content: string): ImportLine | string {
  const value = parse(content);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object';
  const error = lineCheck.Errors(value).First();
  if (error !== undefined || !lineCheck.Check(value)) return `${error?.path.slice(1)}: ${error?.message}`;
  if (value.id !== undefined && !isUserId(value.id)) return `id is not ${USER_ID_WORDS}`;
  if (!isEmailAddress(value.email)) return 'email is not an e-mail address';
  if (value.hash !== '' && hashCost(value.hash) === undefined)
    return 'hash has no known form (docs/operations/password-hashes.md), is damaged, or costs too much';
  if (readUserClaims(value.claims) === null) return `claims are longer than ${MAX_CLAIMS_BYTES} bytes`;
  if (!fitsTokens(value.email, value.claims))
    return `email and claims have more than ${MAX_USER_BYTES} bytes together`;
  return value;
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
