// Names why a Redis cannot be used, from the errors of its client.

/** Why a store cannot be used, in words that hold nothing of its address, its password or a command. */
export interface FailureCause {
  /** For programs: stable, lower_snake_case. */
  readonly name: string;
  /** For people; completes "the store cannot be used: …". */
  readonly text: string;
  /** The code of the error, such as `ECONNREFUSED` or `WRONGPASS`; undefined if it has none. */
  readonly code?: string;
  /** Whether the server refuses only some commands: others succeed all the while. */
  readonly isPartial: boolean;
}

type CauseRow = readonly [name: string, text: string, pattern: RegExp];

/** The message of an error for a connection that ended without one. */
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
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self-signed/,
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
    'it has no database of that number',
    /DB index is out of range|SELECT is not allowed in cluster/,
  ],
  ['no_cluster', 'it is no cluster: redis:// without +cluster', /cluster support disabled/],
  ['no_master', 'the Sentinels know no master of that name', /know no master/],
  ['no_sentinel', 'no Sentinel answers', /no Sentinel answers/],
  ['too_many_clients', 'it takes no more connections (maxclients)', /max number of clients/],
  ['silent', 'it does not answer', SILENT],
  ['connection_lost', 'the connection broke', /ECONNRESET|EPIPE|ECONNABORTED|^the connection ended/],
  ['no_node', 'none of the nodes that are named can be connected to', /Failed to refresh slots/],
];

const NO_TLS: CauseRow = [
  'no_tls_connection',
  'its host cannot be reached, or does not use TLS: redis://',
  /^$/,
];
const CLOSES: CauseRow = ['closes', 'it closes each connection at once: it may want TLS, rediss://', /^$/];
const OTHER: CauseRow = ['other', 'its client reports an error that is not known here', /^$/];

const REFUSING: readonly CauseRow[] = [
  ['not_permitted', 'its user may not do what is needed (ACL)', /NOPERM/],
  ['out_of_memory', 'its memory is full (maxmemory)', /OOM/],
  ['read_only', 'it is a replica and takes no writes', /READONLY|UNBLOCKED/],
  ['master_down', 'it is a replica without its master', /MASTERDOWN/],
  ['loading', 'it is still loading its data', /LOADING/],
  ['not_persisting', 'it cannot write its data to the disk and refuses writes', /MISCONF/],
  ['too_few_replicas', 'it has fewer replicas than min-replicas-to-write', /NOREPLICAS/],
  ['busy', 'a script blocks it', /BUSY/],
  ['cluster_down', 'a part of the cluster is down', /CLUSTERDOWN|TRYAGAIN/],
  ['is_cluster', 'it is a node of a cluster: redis+cluster://', /MOVED|CROSSSLOT/],
];

/** What a client says of a command that it could not send. */
const NOT_CONNECTED =
  /^(?:Stream isn't writeable|Connection is closed|Cluster is|None of startup nodes|Node is disconnected)/;

/** Words at the start of an error reply, or of the error inside a script as Redis 6 reports it. */
const REPLY_CODE = /(?:^|: -)([A-Z]{2,})\b/;

/** What is known of the connection that an error comes from. */
export interface Connection {
  readonly usesTls: boolean;
  /** Whether it, or one before it, was ever ready for commands. */
  readonly wasReady: boolean;
}

/**
 * Returns why a command or a connection failed. Undefined if the error tells only that there is no connection: another one
 * tells why.
 */
export function failureCause(error: unknown, connection: Connection): FailureCause | undefined {
  const { code, message = '', cause, lastNodeError, errors } = (error ?? {}) as ClientError;
  // The error of a store tells nothing that its cause does not.
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
  /** Of a cluster of which no node answers. */
  readonly lastNodeError?: unknown;
  /** Of a host with several addresses. */
  readonly errors?: readonly unknown[];
}

/** The part of a logger that this room uses. */
export interface StoreLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
}

/** Takes what becomes of the commands and connections of a store. */
export interface FailureLog {
  failed(error: unknown): void;
  answered(): void;
  /** Why the store cannot be used; undefined while it can. */
  readonly cause: FailureCause | undefined;
}

/** How long no command may fail until the store counts as usable again, in milliseconds. */
const QUIET_MS = 1000;
/** The same for a server that refuses only some commands. */
const PARTIAL_QUIET_MS = 60_000;

/**
 * @param variable the variable that names the store
 * @param causeOf returns what an error tells; undefined if another error tells more
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
