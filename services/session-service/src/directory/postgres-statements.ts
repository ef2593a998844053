// The operator's statements: their names on the connection, and their check at the start.

import type { DatabaseError, FieldDef, QueryResult } from 'pg';
import {
  explainPostgresError,
  type PostgresPool,
  type PreparedStatement,
  sqlStateOf,
} from './postgres-pool.js';

/** The values of USERS_BY_EMAIL, USERS_BY_ID and USERS_SAVE_HASH. */
export interface StatementTexts {
  readonly byEmail?: string | undefined;
  readonly byId?: string | undefined;
  readonly saveHash?: string | undefined;
}

/** The prepared statements of the PostgreSQL directory. */
interface UserStatements {
  /** $1 the account key. */
  readonly byEmail: PreparedStatement;
  /** $1 the id. */
  readonly byId: PreparedStatement;
  /** $1 the id, $2 the old hash, $3 the new one; undefined if hashes are not replaced. */
  readonly saveHash: PreparedStatement | undefined;
}

/**
 * Names the statements for preparation.
 * @throws RangeError if one of the first two is missing
 */
export function nameStatements({ byEmail, byId, saveHash }: StatementTexts): UserStatements {
  if (byEmail === undefined || byId === undefined) {
    throw new RangeError('with postgres:// needs USERS_BY_EMAIL and USERS_BY_ID');
  }
  return {
    byEmail: { name: 'tollgate_user_by_email', text: byEmail },
    byId: { name: 'tollgate_user_by_id', text: byId },
    saveHash: saveHash === undefined ? undefined : { name: 'tollgate_save_hash', text: saveHash },
  };
}

const COLUMNS = ['id', 'email', 'hash', 'disabled'] as const;

/** Type numbers that are the same in every PostgreSQL; types of extensions are not checked. */
const BOOLEAN = 16;
const BYTES = 17;
const NUMBERS = [20, 21, 23, 1700];
const NAME = 19;
const PADDED_TEXT = 1042;
const TEXTS = [NAME, 25, PADDED_TEXT, 1043, 2950];
/** From here on types belong to extensions, such as texts that ignore case. */
const FIRST_OF_EXTENSIONS = 16_384;

/** A value that no user has, and that is comparable with each type of id column: a number or string, or a UUID. */
const NOBODY = ['0', '00000000-0000-0000-0000-000000000000'] as const;

/** Returns the id of a row in the column's type: the client returns bigint and numeric as strings, `char(n)` padded. */
export function readIdColumn(id: unknown, fields: readonly FieldDef[]): unknown {
  if (typeof id !== 'string') return id;
  const type = fields.find(({ name }) => name === 'id')?.dataTypeID ?? 0;
  if (type === PADDED_TEXT) return id.trimEnd();
  return NUMBERS.includes(type) && /^\d{1,16}$/.test(id) ? Number(id) : id;
}

/** Of a malformed value, a number out of range, and characters that the database's encoding does not have. */
const UNSTORABLE = ['22P02', '22003', '22021', '22P05'];

/**
 * Runs a statement; returns undefined if a value cannot be in the compared column, such as a string that is not a UUID: then
 * no user has this value. The same error about a value in a row says nothing about the searched user.
 * @throws the error of the statement otherwise
 */
export async function runStorable(
  pool: PostgresPool,
  statement: PreparedStatement,
  values: readonly string[],
): Promise<QueryResult | undefined> {
  try {
    return await pool.run(statement, values);
  } catch (error) {
    const state = sqlStateOf(error) ?? '';
    if (UNSTORABLE.includes(state) && (await planningFails(pool, statement, values, state))) return undefined;
    throw error;
  }
}

/** Planning converts the values but reads no row. The error's text does not tell: the server translates it. */
async function planningFails(
  pool: PostgresPool,
  statement: PreparedStatement,
  values: readonly string[],
  state: string,
): Promise<boolean> {
  try {
    await pool.run(explained(statement), values);
    return false;
  } catch (error) {
    const found = sqlStateOf(error);
    if (found === undefined) throw error;
    return found === state;
  }
}

/** EXPLAIN plans the statement without running it. */
function explained({ name, text }: PreparedStatement): PreparedStatement {
  return { name: `${name}_explained`, text: `EXPLAIN ${text}` };
}

const MAX_MESSAGE_CHARACTERS = 200;

/** The result of checking the statements. */
interface StatementProbe {
  /** A line for each mistake. */
  readonly mistakes: readonly string[];
  /** An unassigned id that the statements accept. */
  readonly nobody: string;
}

/**
 * Runs the searches with values that match nobody and plans the update, so nothing is found or changed.
 * @throws the error of the connection if the database does not respond
 */
export async function probeStatements(
  pool: PostgresPool,
  statements: UserStatements,
): Promise<StatementProbe> {
  const { byEmail, byId, saveHash } = statements;
  const mistakes: string[] = [];
  // No user has an empty key.
  mistakes.push(...(await tryStatement(pool, 'USERS_BY_EMAIL', byEmail, [''], true)));
  const nobody = await findNobody(pool, byId);
  mistakes.push(...(await tryStatement(pool, 'USERS_BY_ID', byId, [nobody], true)));
  if (saveHash !== undefined) {
    const plan = explained(saveHash);
    mistakes.push(...(await tryStatement(pool, 'USERS_SAVE_HASH', plan, [nobody, '', ''], false)));
  }
  return { mistakes: [...new Set(mistakes)], nobody };
}

async function findNobody(pool: PostgresPool, byId: PreparedStatement): Promise<string> {
  const [first, second] = NOBODY;
  try {
    return (await runStorable(pool, byId, [first])) === undefined ? second : first;
  } catch (error) {
    // Another mistake, which the caller describes; or the database does not respond.
    if (sqlStateOf(error) === undefined) throw error;
    return first;
  }
}

async function tryStatement(
  pool: PostgresPool,
  variable: string,
  statement: PreparedStatement,
  values: readonly string[],
  returnsUsers: boolean,
): Promise<string[]> {
  try {
    const { fields } = await pool.run(statement, values);
    return returnsUsers ? checkColumns(fields).map((mistake) => `${variable} ${mistake}`) : [];
  } catch (error) {
    const state = sqlStateOf(error) ?? '';
    // The server rejected the user or the password, or has no such database.
    if (/^28|^3D/.test(state)) return [`USERS_URL is wrong: ${explainPostgresError(error)}`];
    // An invalid statement, a value of the wrong type, or a wrong number of placeholders.
    if (/^42|^22/.test(state) || isProtocolMistake(error))
      return [`${variable} does not run: ${oneLine(error)}`];
    throw error;
  }
}

/** PgBouncer reports an outage of its database with the same code, but only PostgreSQL names its own routine. */
function isProtocolMistake(error: unknown): boolean {
  return sqlStateOf(error) === '08P01' && (error as DatabaseError).routine !== undefined;
}

function checkColumns(fields: readonly FieldDef[]): string[] {
  const types = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const missing = COLUMNS.filter((column) => !types.has(column));
  const mistakes = missing.length === 0 ? [] : [`returns no column ${missing.join(', ')}`];
  const id = types.get('id');
  if (id !== undefined && id < FIRST_OF_EXTENSIONS && ![...NUMBERS, ...TEXTS].includes(id)) {
    mistakes.push('returns a column id that is neither a whole number nor a text');
  }
  const disabled = types.get('disabled');
  if (disabled !== undefined && disabled !== BOOLEAN) {
    mistakes.push('returns a column disabled that is not boolean');
  }
  for (const column of ['email', 'account', 'hash', 'claims']) {
    const type = types.get(column) ?? 0;
    if ([BOOLEAN, BYTES, ...NUMBERS].includes(type))
      mistakes.push(`returns a column ${column} that is not ${column === 'claims' ? 'JSON' : 'text'}`);
  }
  return mistakes;
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARACTERS);
}
