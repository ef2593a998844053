// Names why an embedded store cannot be used, from the errors of SQLite.

import { explainDatabaseError } from '../open-database.js';
import { RESULT, resultCodeOf } from '../sqlite.js';
import type { FailureCause } from './failure-cause.js';

const NAMES: Readonly<Record<number, string>> = {
  [RESULT.busy]: 'locked',
  [RESULT.locked]: 'locked',
  [RESULT.readOnly]: 'read_only',
  [RESULT.ioError]: 'disk_fails',
  [RESULT.corrupt]: 'damaged',
  [RESULT.full]: 'disk_full',
  [RESULT.cannotOpen]: 'not_permitted',
  [RESULT.noDatabase]: 'damaged',
};

/** Returns why an operation failed; undefined if the error is none of SQLite. */
export function embeddedFailureCause(error: unknown): FailureCause | undefined {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  const found = cause instanceof Error ? cause : error;
  const code = resultCodeOf(found ?? {});
  if (code === undefined) return undefined;
  // A full disk still takes what fits into the file, so that some operations succeed.
  const isPartial = code === RESULT.full || code === RESULT.ioError;
  return { name: NAMES[code] ?? 'other', text: explainDatabaseError(found), isPartial };
}
