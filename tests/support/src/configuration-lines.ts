// Reads an invalid configuration for its error lines.

import { ConfigurationError } from '@tollgate/shared/schemas';

/** Returns the error lines; empty if reading succeeds. Other errors are rethrown. */
export function configurationLines(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
  return [];
}
