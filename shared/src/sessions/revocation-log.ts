// The revocation log, which tells every node immediately which sessions have ended.

/** The key of the log: on Redis a stream, on the embedded store the head of a chain. */
export const REVOCATION_LOG_KEY = 'session:revoked';

/** The position before the first entry. */
export const LOG_START = '0';

/** Sessions that were revoked together. */
export interface RevocationEntry {
  readonly sids: readonly string[];
  /** How long their access tokens must be rejected, in milliseconds. */
  readonly keepMs: number;
}

/** An entry with its time. */
export interface ReadRevocation extends RevocationEntry {
  /** Time of the append: the store's time in milliseconds since 1970. */
  readonly atMs: number;
}

/** Consecutive entries. */
export interface RevocationPage {
  readonly entries: readonly ReadRevocation[];
  /** Position of the last entry; the requested position if there is none. */
  readonly position: string;
  /** Whether the log has no further entries. */
  readonly complete: boolean;
}

/**
 * Whether a read waits for an entry if there is none: not at all, at most half a second, or at most ten. On the embedded
 * store, which has no notifications, a waiting read looks for entries only at its end.
 */
export type RevocationWait = 'none' | 'brief' | 'long';

/** A reader with its own connection. */
export interface RevocationTail {
  /**
   * Returns the entries after a position.
   * @throws StoreUnavailableError if the connection is lost or does not respond
   */
  next(position: string, wait: RevocationWait): Promise<RevocationPage>;
  close(): void;
}

/** Every method throws StoreUnavailableError if the store does not respond. */
export interface RevocationLog {
  /** Appends an entry and stores it for its `keepMs`; a repetition is harmless. */
  append(entry: RevocationEntry): Promise<void>;
  /**
   * Returns the entries after a position, oldest first, without waiting.
   * @param limit maximum entries; by default as many as the store returns at once
   */
  readAfter(position: string, limit?: number): Promise<RevocationPage>;
  openTail(): Promise<RevocationTail>;
  /** Longest time between two reads of a briefly waiting tail, in milliseconds, while the store responds. */
  readonly briefMs: number;
}

/**
 * Returns whether the log now contains this session.
 * @throws StoreUnavailableError if the store does not respond
 */
export async function hasEntryOf(log: RevocationLog, sid: string): Promise<boolean> {
  for (let position = LOG_START; ; ) {
    const page = await log.readAfter(position);
    if (page.entries.some(({ sids }) => sids.includes(sid))) return true;
    if (page.complete) return false;
    position = page.position;
  }
}
