// Tries the operator's statements at the start, and says what is wrong with them.

import type { FieldDef } from 'pg';
import {
  explainPostgresError,
  type PostgresPool,
  type PreparedStatement,
  sqlStateOf,
} from './postgres-pool.js';
import type { UserStatements } from './user-statements.js';

const COLUMNS = ['id', 'email', 'hash', 'disabled'] as const;

/** Types by their numbers in every PostgreSQL; of what an extension added, nothing is known. */
const BOOLEAN = 16;
const BYTES = 17;
const NUMBERS = [20, 21, 23, 1700];

const LONGEST_MESSAGE = 200;

/** @returns a line for each mistake, none when all is well @throws what the connection throws when nobody answers */
export async function probeStatements(pool: PostgresPool, statements: UserStatements): Promise<string[]> {
  const { byEmail, byId, saveHash } = statements;
  const mistakes: string[] = [];
  // An empty key and the id 0 are nobody's.
  mistakes.push(...(await tryStatement(pool, 'USERS_BY_EMAIL', byEmail, [''], true)));
  mistakes.push(...(await tryStatement(pool, 'USERS_BY_ID', byId, ['0'], true)));
  if (saveHash !== undefined) {
    // Planned and not run.
    const plan = { name: 'tollgate_explain_save_hash', text: `EXPLAIN ${saveHash.text}` };
    mistakes.push(...(await tryStatement(pool, 'USERS_SAVE_HASH', plan, ['0', '', ''], false)));
  }
  return [...new Set(mistakes)];
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
    // Refused user or password, and no such database.
    if (/^28|^3D/.test(state)) return [`USERS_URL is wrong: ${explainPostgresError(error)}`];
    // A wrong statement, values that it cannot take, another number of placeholders.
    if (/^42|^22|^08P01/.test(state)) return [`${variable} does not run: ${oneLine(error)}`];
    throw error;
  }
}

function checkColumns(fields: readonly FieldDef[]): string[] {
  const types = new Map(fields.map(({ name, dataTypeID }) => [name, dataTypeID]));
  const missing = COLUMNS.filter((column) => !types.has(column));
  const mistakes = missing.length === 0 ? [] : [`returns no column ${missing.join(', ')}`];
  const id = types.get('id');
  if (id !== undefined && !NUMBERS.includes(id)) mistakes.push('returns a column id that is no whole number');
  const disabled = types.get('disabled');
  if (disabled !== undefined && disabled !== BOOLEAN) {
    mistakes.push('returns a column disabled that is no boolean');
  }
  for (const column of ['email', 'hash']) {
    const type = types.get(column) ?? 0;
    if ([BOOLEAN, BYTES, ...NUMBERS].includes(type))
      mistakes.push(`returns a column ${column} that is no text`);
  }
  return mistakes;
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message.replaceAll(/\s+/g, ' ').slice(0, LONGEST_MESSAGE);
}
