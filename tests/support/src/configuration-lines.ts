// Reads a configuration that is wrong, for its lines.

import { ConfigurationError } from '@tollgate/shared/schemas';

/** Returns the lines that a reading complains with; none if it succeeds. Other errors are thrown on. */
export function configurationLines(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
  return [];
}
