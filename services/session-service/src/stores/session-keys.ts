// Names of what the session store keeps.

/**
 * The notes of how a user's sessions ended, the newest first: on Redis a list, on the embedded store a text of lines.
 * In the slot of the sessions, so that the step that ends one writes its note. It expires `AUDIT_TTL` after the last.
 */
export function endNotesKey(uid: number): string {
  return `session:{${uid}}:ended`;
}

/** What the names of both begin with, and nothing else does. */
export const USER_KEYS = 'session:{';

/** The user whose key this is; undefined when it is none of them. */
export function userOfKey(key: string): number | undefined {
  const digits = /^session:\{(\d+)\}(?::ended)?$/.exec(key)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
