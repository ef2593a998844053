// Writes to the log why a store cannot be used: a line when the cause changes, and one when the store answers again.

import type { FailureCause } from './failure-cause.js';

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
