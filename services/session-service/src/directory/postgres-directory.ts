// The directory in an existing table of a PostgreSQL database, read with the operator's own statements.

import {
  type Directory,
  DirectoryUnavailableError,
  type DirectoryUser,
  readDirectoryUser,
  readIds,
  UnusableUserError,
} from './directory.js';
import {
  explainPostgresError,
  openPostgresPool,
  type PostgresLimits,
  type PreparedStatement,
  sqlStateOf,
} from './postgres-pool.js';
import { nameStatements, probeStatements, type StatementTexts } from './postgres-statements.js';

/** A directory whose statements can be checked. */
export interface PostgresDirectory extends Directory {
  /**
   * Checks the statements without finding or changing a user, and returns a line for each mistake. Until a check has
   * found none, `health` repeats it.
   * @throws DirectoryUnavailableError if the database does not answer, which is not a mistake
   */
  probe(): Promise<string[]>;
}

// SQLSTATEs of values that the column cannot hold, such as a number out of range: no user has such a value.
const UNSTORABLE_VALUE = ['22003', '22021', '22P05'];

/**
 * Opens the directory without connecting. A null hash means that the user has no password, a null `disabled` that the
 * user is enabled. A key with a zero byte matches no user: PostgreSQL cannot store it in a text.
 *
 * @throws RangeError if the URL is invalid or one of the first two statements is missing
 */
export function openPostgresDirectory(
  url: string,
  texts: StatementTexts,
  limits: Partial<PostgresLimits> = {},
): PostgresDirectory {
  const statements = nameStatements(texts);
  const { byEmail, byId, saveHash } = statements;
  const pool = openPostgresPool(url, limits);
  let isProbed = false;

  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DirectoryUnavailableError) throw error;
      // Not attached as the cause: the server's errors quote values, and the log would show them.
      throw new DirectoryUnavailableError(explainPostgresError(error));
    }
  };
  const probe = () =>
    attempt(async () => {
      const mistakes = await probeStatements(pool, statements);
      isProbed = mistakes.length === 0;
      return mistakes;
    });
  const find = (statement: PreparedStatement, variable: string, value: string) =>
    attempt(async (): Promise<DirectoryUser | undefined> => {
      const rows = await pool.run(statement, [value]).then(
        (result) => result.rows,
        (error: unknown) => {
          if (UNSTORABLE_VALUE.includes(sqlStateOf(error) ?? '')) return [];
          throw error;
        },
      );
      if (rows.length > 1) {
        const userIds = readIds(rows.map(({ id }) => ({ id: numberOf(id) })));
        throw new UnusableUserError(`${variable} returned more than one user`, userIds);
      }
      return rows.length === 0 ? undefined : readRow(rows[0], variable);
    });

  return {
    findByEmail: async (key) => (key.includes('\0') ? undefined : find(byEmail, 'USERS_BY_EMAIL', key)),
    async findById(id) {
      const user = await find(byId, 'USERS_BY_ID', String(id));
      if (user === undefined || user.id === id) return user;
      throw new DirectoryUnavailableError('USERS_BY_ID returned another user than the one asked for');
    },
    ...(saveHash && {
      saveHash: (id, oldHash, newHash) =>
        attempt(async () => {
          const { rowCount } = await pool.run(saveHash, [String(id), oldHash, newHash]);
          return rowCount === 1;
        }),
    }),
    async health() {
      if (isProbed) {
        // Nobody has the id 0. A table that is gone, or may not be read any more, is found like this.
        await find(byId, 'USERS_BY_ID', '0');
        return;
      }
      const mistakes = await probe();
      if (mistakes.length > 0) throw new DirectoryUnavailableError(mistakes.join('; '));
    },
    probe,
    close: () => pool.close(),
  };
}

/** A `char(n)` is padded with spaces. */
function readRow(row: Record<string, unknown>, variable: string): DirectoryUser {
  const { id, hash, disabled } = row;
  return readDirectoryUser(
    {
      ...row,
      id: numberOf(id),
      hash: typeof hash === 'string' ? hash.trimEnd() : hash === null ? '' : hash,
      disabled: disabled === null ? false : disabled,
    },
    variable,
  );
}

/** The client returns bigint and numeric as text. */
function numberOf(id: unknown): unknown {
  return typeof id === 'string' && /^\d{1,16}$/.test(id) ? Number(id) : id;
}
