// A bounded pool of connections to PostgreSQL: every wait has a limit, and no error message contains a secret.

import { Client, type ClientConfig, DatabaseError, Pool, type PoolConfig, type QueryResult } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { DirectoryUnavailableError } from './directory.js';

/** Limits on concurrency and time. */
export interface PostgresLimits {
  /** Maximum number of connections. */
  readonly connections: number;
  /** Statements that may wait for a connection; further ones are rejected immediately. */
  readonly waiting: number;
  /** Time limit for getting a connection, new or free, in milliseconds. */
  readonly connectMs: number;
  /** Time limit for one statement, in milliseconds. */
  readonly statementMs: number;
}

/** A prepared statement. */
export interface PreparedStatement {
  /** Its name on the connection. */
  readonly name: string;
  readonly text: string;
}

/** A pool of connections. */
export interface PostgresPool {
  /**
   * @throws DatabaseError as the server sent it; it may contain the values
   * @throws Error of the connection
   */
  run(statement: PreparedStatement, values: readonly unknown[]): Promise<QueryResult>;
  close(): Promise<void>;
}

const LIMITS: PostgresLimits = { connections: 8, waiting: 256, connectMs: 2000, statementMs: 2000 };

/** Explanations by SQLSTATE, Node's error code or the client's message. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  '28000': 'the server rejects this user',
  '28P01': 'the server rejects the user or the password',
  '3D000': 'the server has no such database',
  '53300': 'the server has no connection left',
  '57014': 'a statement took too long',
  '57P03': 'the server is starting or stopping',
  ECONNREFUSED: 'nothing listens at its address',
  ENOENT: 'the socket does not exist',
  ENOTFOUND: 'its host name is unknown',
  'Query read timeout': 'a statement took too long',
  'timeout exceeded when trying to connect': 'all its connections are in use',
};

/**
 * Creates a pool without connecting. A failed connection is dropped, and the next statement opens a new one.
 * @throws RangeError if the URL is invalid; the message does not repeat it
 */
export function openPostgresPool(url: string, limits: Partial<PostgresLimits> = {}): PostgresPool {
  const { connections, waiting, connectMs, statementMs } = { ...LIMITS, ...limits };
  const options: PoolConfig = {
    application_name: 'tollgate',
    // Longer than the server's own limit: it applies only if the server has stopped responding.
    query_timeout: statementMs + 250,
    keepAlive: true,
    ...readUrl(url),
    max: connections,
    connectionTimeoutMillis: connectMs,
  };
  const sessions = openPool({ statement_timeout: statementMs, ...options });
  /** Used instead of `sessions` once a pooler has rejected session state. */
  let transactions: Pool | undefined;
  let closed: Promise<void> | undefined;
  let pending = 0;

  const query = async ({ name, text }: PreparedStatement, values: readonly unknown[]) => {
    if (transactions === undefined) {
      try {
        return await sessions.query({ name, text, values: [...values] });
      } catch (error) {
        if (closed !== undefined) throw error;
        // The failed connection is dropped, but the next free one may be as old: without a name it has no earlier plan.
        if (isOutdatedPlan(error)) return sessions.query({ text, values: [...values] });
        if (!isFromPooler(error)) throw error;
        transactions ??= openPool(options);
      }
    }
    return transactions.query({ text, values: [...values] });
  };

  return {
    async run(statement, values) {
      if (pending >= connections + waiting) {
        throw new DirectoryUnavailableError('too many statements wait for the user database');
      }
      pending += 1;
      try {
        return await query(statement, values);
      } finally {
        pending -= 1;
      }
    },
    close() {
      closed ??= Promise.all([sessions.end(), transactions?.end()]).then(() => {});
      return closed;
    },
  };
}

const FILE_OPTIONS = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Reads the options of a URL with the certificates that it names. Once, because the pool reads a URL again for each connection,
 * and a missing file would then end the process.
 * @throws RangeError
 */
function readUrl(url: string): ClientConfig {
  try {
    const options = parseIntoClientConfig(url);
    new Client(options);
    return options;
  } catch (error) {
    throw new RangeError(explainInvalidUrl(url, error));
  }
}

function explainInvalidUrl(url: string, error: unknown): string {
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === undefined) {
    return 'cannot be parsed: special characters in user and password must be percent-encoded';
  }
  const given = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]);
  // A directory's error has no path.
  const options = FILE_OPTIONS.filter(
    (name) => given.has(name) && [undefined, given.get(name)].includes(path),
  );
  return `names a file in ${options.join(' or ')} that cannot be read: ${code}`;
}

function openPool(options: PoolConfig): Pool {
  const pool = new Pool(options);
  // An idle connection that breaks leaves the pool by itself; without a listener its error would end the process.
  pool.on('error', () => {});
  return pool;
}

/**
 * Whether an error indicates a pooler, such as PgBouncer, that gives each transaction another server session: it rejects a
 * `statement_timeout` for the session, and an earlier prepared statement is unknown, or another client's.
 */
function isFromPooler(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === '26000' || state === '42P05') return true;
  return state === '08P01' && (error as Error).message.includes('unsupported startup parameter');
}

/**
 * Whether a prepared statement has other columns than before, as `SELECT *` does after ALTER TABLE. It fails before it runs.
 * Other statements with this code fail again.
 */
function isOutdatedPlan(error: unknown): boolean {
  return sqlStateOf(error) === '0A000';
}

/** The SQLSTATE of an error from the server. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Explains why the database did not respond, without values, statements or passwords. */
export function explainPostgresError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // An error without a code has one of the client's own fixed messages.
  const reason = EXPLANATIONS[code ?? message] ?? (code === undefined ? message : `error ${code}`);
  return `the user database does not respond: ${reason}`;
}
