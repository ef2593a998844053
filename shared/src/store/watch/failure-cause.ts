// Explains why a Redis is unusable, from its client's errors.

/** Why a store is unusable, in words without its address, its password or a command. */
export interface FailureCause {
  /** For programs: stable, lower_snake_case. */
  readonly name: string;
  /** For people; completes "the store cannot be used: …". */
  readonly text: string;
  /** The code of the error, such as `ECONNREFUSED` or `WRONGPASS`; undefined if it has none. */
  readonly code?: string;
  /** Whether the server rejects only some commands while others succeed. */
  readonly isPartial: boolean;
}

type CauseRow = readonly [name: string, text: string, pattern: RegExp];

/** The message for a connection that ended without an error. */
export const CONNECTION_ENDED = 'the connection ended';

const SILENT =
  /^(?:Command timed out|Socket timeout|no answer within|no connection within|Timed out|timeout)/i;

// The first row that matches the code or the message counts.
const UNREACHABLE: readonly CauseRow[] = [
  ['refused', 'nothing listens at its address', /ECONNREFUSED/],
  ['unknown_host', 'the name of its host is unknown', /ENOTFOUND|EAI_AGAIN/],
  ['unreachable', 'its host cannot be reached', /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EHOSTDOWN/],
  [
    'certificate',
    'its certificate is not trusted or is for another host',
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self-signed|certificate of a Sentinel/,
  ],
  [
    'tls',
    'only one side of the connection uses TLS: rediss:// with TLS, redis:// without',
    /ERR_SSL|ERR_TLS|EPROTO|wrong version number|RESP type/,
  ],
  ['password', 'its user or its password is wrong', /WRONGPASS|invalid password|invalid username-password/],
  ['password_missing', 'it needs a password', /NOAUTH/],
  [
    'no_database',
    'it has no database with that number',
    /DB index is out of range|SELECT is not allowed in cluster/,
  ],
  ['no_cluster', 'it is not a cluster: redis:// without +cluster', /cluster support disabled/],
  ['no_master', 'the Sentinels know no master of that name', /know no master/],
  ['no_sentinel', 'no Sentinel answers', /no Sentinel answers/],
  [
    'sentinel_password',
    'a Sentinel requires a password, and services send it none',
    /Sentinel requires a password/,
  ],
  ['too_many_clients', 'it accepts no more connections (maxclients)', /max number of clients/],
  ['silent', 'it does not respond', SILENT],
  ['connection_lost', 'the connection broke', /ECONNRESET|EPIPE|ECONNABORTED|^the connection ended/],
  ['no_node', 'none of the configured nodes is reachable', /Failed to refresh slots/],
];

const NO_TLS: CauseRow = [
  'no_tls_connection',
  'its host cannot be reached, or does not use TLS: redis://',
  /^$/,
];
const CLOSES: CauseRow = ['closes', 'it closes each connection at once: it may require TLS, rediss://', /^$/];
const OTHER: CauseRow = ['other', 'its client reports an unknown error', /^$/];

const REFUSING: readonly CauseRow[] = [
  ['not_permitted', 'its user lacks a permission (ACL)', /NOPERM/],
  ['out_of_memory', 'its memory is full (maxmemory)', /OOM/],
  ['read_only', 'it is a replica and accepts no writes', /READONLY|UNBLOCKED/],
  ['master_down', 'it is a replica without its master', /MASTERDOWN/],
  ['loading', 'it is still loading its data', /LOADING/],
  ['not_persisting', 'it cannot write its data to the disk and rejects writes', /MISCONF/],
  ['too_few_replicas', 'it has fewer replicas than min-replicas-to-write', /NOREPLICAS/],
  ['busy', 'a script blocks it', /BUSY/],
  ['cluster_down', 'a part of the cluster is down', /CLUSTERDOWN|TRYAGAIN/],
  ['is_cluster', 'it is a node of a cluster: redis+cluster://', /MOVED|CROSSSLOT/],
];

/** The client's message about a command that it could not send. */
const NOT_CONNECTED =
  /^(?:Stream isn't writeable|Connection is closed|Cluster is|None of startup nodes|Node is disconnected)/;

/** Words at the start of an error reply, or of the error inside a script as Redis 6 reports it. */
const REPLY_CODE = /(?:^|: -)([A-Z]{2,})\b/;

/** The state of the connection of an error. */
interface Connection {
  readonly usesTls: boolean;
  /** Whether it, or an earlier one, was ever ready for commands. */
  readonly wasReady: boolean;
}

/**
 * Returns why a command or a connection failed. Undefined if the error only says that there is no connection: another one
 * has the reason.
 */
export function failureCause(error: unknown, connection: Connection): FailureCause | undefined {
  const { code, message = '', cause, lastNodeError, errors } = (error ?? {}) as ClientError;
  // The error of a store adds nothing to its cause.
  if (cause instanceof Error) return failureCause(cause, connection);
  const inner = lastNodeError ?? errors?.[0];
  const found = inner instanceof Error ? failureCause(inner, connection) : undefined;
  return found ?? causeOf(typeof code === 'string' ? code : undefined, String(message), connection);
}

function causeOf(
  code: string | undefined,
  message: string,
  { usesTls, wasReady }: Connection,
): FailureCause | undefined {
  const reply = REPLY_CODE.exec(message)?.[1];
  const refusing = reply === undefined ? undefined : REFUSING.find(([, , pattern]) => pattern.test(reply));
  if (refusing !== undefined) return asCause(refusing, reply, true);
  const row = UNREACHABLE.find(([, , pattern]) => pattern.test(code ?? '') || pattern.test(message));
  if (row?.[0] === 'unreachable' && usesTls) return asCause(NO_TLS, code, false);
  if (row?.[0] === 'connection_lost' && !wasReady) return asCause(CLOSES, code, false);
  if (row !== undefined) return asCause(row, code ?? reply, false);
  if (reply !== undefined || NOT_CONNECTED.test(message)) return undefined;
  return asCause(OTHER, code, false);
}

function asCause([name, text]: CauseRow, code: string | undefined, isPartial: boolean): FailureCause {
  return { name, text, isPartial, ...(code === undefined ? {} : { code }) };
}

interface ClientError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** For a cluster without a responding node. */
  readonly lastNodeError?: unknown;
  /** For a host with several addresses. */
  readonly errors?: readonly unknown[];
}

/** The part of a logger that this room uses. */
export interface StoreLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Receives the outcomes of a store's commands and connections. */
export interface FailureLog {
  failed(error: unknown): void;
  answered(): void;
  /** Why the store is unusable; undefined while it is usable. */
  readonly cause: FailureCause | undefined;
}

/** Time without a failed command until the store counts as usable again, in milliseconds. */
const QUIET_MS = 1000;
/** The same for a server that rejects only some commands. */
const PARTIAL_QUIET_MS = 60_000;

/**
 * @param variable the store's variable
 * @param causeOf returns the cause of an error; undefined if another error has more information
 */
export function createFailureLog(
  variable: string,
  log: StoreLog,
  causeOf: (error: unknown) => FailureCause | undefined,
): FailureLog {
  let cause: FailureCause | undefined;
  let failedAtMs = 0;
  return {
    failed(error) {
      const found = causeOf(error);
      if (found === undefined) return;
      failedAtMs = performance.now();
      if (found.name === cause?.name) return;
      cause = found;
      const { name, code, text } = found;
      log.warn({ store: variable, cause: name, ...(code && { code }) }, `the store cannot be used: ${text}`);
    },
    answered() {
      if (cause === undefined) return;
      if (performance.now() - failedAtMs < (cause.isPartial ? PARTIAL_QUIET_MS : QUIET_MS)) return;
      cause = undefined;
      log.info({ store: variable }, 'the store can be used again');
    },
    get cause() {
      return cause;
    },
  };
}
