// The directory in an existing table of a PostgreSQL database, read with the operator's own statements.

import {
  checkFound,
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
} from './postgres-pool.js';
import {
  nameStatements,
  probeStatements,
  readIdColumn,
  runStorable,
  type StatementTexts,
} from './postgres-statements.js';

/** A directory whose statements can be checked. */
export interface PostgresDirectory extends Directory {
  /**
   * Checks the statements without finding or changing a user, and returns a line for each mistake. Until a check has
   * found none, `health` repeats it.
   * @throws DirectoryUnavailableError if the database does not respond, which is not a mistake
   */
  probe(): Promise<string[]>;
}

/**
 * Opens the directory without connecting. A null hash means a user without a password, a null `disabled` an enabled user. A
 * key with a zero byte matches no user: PostgreSQL cannot store it in a text.
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
  let nobody: string | undefined;

  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DirectoryUnavailableError) throw error;
      // Not attached as the cause: the server's errors quote values, which the log would show.
      throw new DirectoryUnavailableError(explainPostgresError(error));
    }
  };
  const probe = () =>
    attempt(async () => {
      const { mistakes, ...probed } = await probeStatements(pool, statements);
      if (mistakes.length === 0) nobody = probed.nobody;
      return [...mistakes];
    });
  const find = (statement: PreparedStatement, variable: string, value: string) =>
    attempt(async (): Promise<DirectoryUser | undefined> => {
      const found = await runStorable(pool, statement, [value]);
      const rows = (found?.rows ?? []).map((row) => ({
        ...row,
        id: readIdColumn(row.id, found?.fields ?? []),
      }));
      if (rows.length > 1) {
        throw new UnusableUserError(`${variable} returned more than one user`, readIds(rows));
      }
      return rows[0] === undefined ? undefined : readRow(rows[0], variable);
    });

  return {
    findByEmail: async (key) => (key.includes('\0') ? undefined : find(byEmail, 'USERS_BY_EMAIL', key)),
    async findById(id) {
      return checkFound(await find(byId, 'USERS_BY_ID', String(id)), id, 'USERS_BY_ID');
    },
    ...(saveHash && {
      saveHash: (id, oldHash, newHash) =>
        attempt(async () => {
          const saved = await runStorable(pool, saveHash, [String(id), oldHash, newHash]);
          return saved?.rowCount === 1;
        }),
    }),
    async health() {
      if (nobody !== undefined) {
        // A missing table, or a revoked permission, is found like this.
        const values = [nobody];
        await attempt(() => pool.run(byId, values));
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
  const { hash, disabled } = row;
  return readDirectoryUser(
    {
      ...row,
      hash: typeof hash === 'string' ? hash.trimEnd() : hash === null ? '' : hash,
      disabled: disabled === null ? false : disabled,
    },
    variable,
  );
}
