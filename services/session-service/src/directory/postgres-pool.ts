// A bounded pool of connections to PostgreSQL in which nothing waits for ever and no error tells a secret.

import { Client, DatabaseError, Pool, type PoolConfig, type QueryResult } from 'pg';
import { DirectoryUnavailableError } from './directory.js';

/** How much is asked of the database at once, and for how long. */
export interface PostgresLimits {
  /** Connections at most. */
  readonly connections: number;
  /** Statements that may wait for a connection; one more is refused at once. */
  readonly waiting: number;
  /** Milliseconds for a connection to be had, made or free. */
  readonly connectMs: number;
  /** Milliseconds that one statement may take. */
  readonly statementMs: number;
}

/** One prepared statement. */
export interface PreparedStatement {
  /** Its name on the connection. */
  readonly name: string;
  readonly text: string;
}

/** Runs statements. */
export interface PostgresPool {
  /**
   * @throws DatabaseError as the server sent it: it may hold the values
   * @throws Error from the connection
   */
  run(statement: PreparedStatement, values: readonly unknown[]): Promise<QueryResult>;
  close(): Promise<void>;
}

const LIMITS: PostgresLimits = { connections: 8, waiting: 256, connectMs: 2000, statementMs: 2000 };

/** By SQLSTATE, by the code of Node, by the text of the client. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  '28000': 'the server refuses this user',
  '28P01': 'the server refuses the user or the password',
  '3D000': 'the server has no such database',
  '53300': 'the server has no connection left',
  '57014': 'a statement took too long',
  '57P03': 'the server is starting or stopping',
  ECONNREFUSED: 'nobody listens at its address',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'its host name is unknown',
  'Query read timeout': 'a statement took too long',
  'timeout exceeded when trying to connect': 'all its connections are in use',
};

/**
 * Makes a pool without connecting. A connection that fails is dropped, and the next statement makes another.
 * @throws RangeError for a URL that cannot be read, which it does not repeat
 */
export function openPostgresPool(url: string, limits: Partial<PostgresLimits> = {}): PostgresPool {
  const { connections, waiting, connectMs, statementMs } = { ...LIMITS, ...limits };
  const options: PoolConfig = {
    connectionString: url,
    application_name: 'tollgate',
    max: connections,
    connectionTimeoutMillis: connectMs,
    // The server ends the statement first; this is for a server that has fallen silent.
    statement_timeout: statementMs,
    query_timeout: statementMs + 250,
    keepAlive: true,
  };
  try {
    new Client(options);
  } catch {
    throw new RangeError('cannot be read: special characters in user and password are percent-encoded');
  }
  const pool = new Pool(options);
  // A connection that breaks while nobody uses it leaves the pool by itself, and would otherwise end the process.
  pool.on('error', () => {});
  let closed: Promise<void> | undefined;
  let underWay = 0;

  return {
    async run({ name, text }, values) {
      if (underWay >= connections + waiting) {
        throw new DirectoryUnavailableError('too many statements wait for the user database');
      }
      underWay += 1;
      try {
        return await pool.query({ name, text, values: [...values] });
      } finally {
        underWay -= 1;
      }
    },
    close() {
      closed ??= pool.end();
      return closed;
    },
  };
}

/** The SQLSTATE of an error that the server sent. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Why the database did not answer, in words that hold no value, statement or password. */
export function explainPostgresError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // Without a code it is one of the client's own fixed texts.
  const reason = EXPLANATIONS[code ?? message] ?? (code === undefined ? message : `error ${code}`);
  return `the user database does not answer: ${reason}`;
}
