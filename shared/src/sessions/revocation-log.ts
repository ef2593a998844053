// The log that every node reads to learn at once which sessions have ended (decisions 3.4).

/** Name of the log in every store: on Redis a stream, on the embedded store the head of its list. */
export const REVOCATION_LOG_KEY = 'session:revoked';

/** The position before the first entry. */
export const LOG_START = '0';

/** Sessions that ended together. */
export interface RevocationEntry {
  readonly sids: readonly string[];
  /** How long their access tokens have to be refused, in milliseconds. */
  readonly keepMs: number;
}

/** Entries that follow one another. */
export interface RevocationPage {
  readonly entries: readonly RevocationEntry[];
  /** Position of the last of them; the position asked for when there is none. */
  readonly position: string;
  /** Whether these were all there were. */
  readonly complete: boolean;
}

/** A reader with a connection of its own. */
export interface RevocationTail {
  /**
   * The entries after a position.
   * @param wait whether to wait, for half a second at most, when there is none
   * @throws StoreUnavailableError when the connection is lost or no longer answers
   */
  next(position: string, wait: boolean): Promise<RevocationPage>;
  close(): void;
}

/** Every method throws StoreUnavailableError when the store does not answer. */
export interface RevocationLog {
  /** Appends one entry, kept for its `keepMs`; a repeated entry does no harm. */
  append(entry: RevocationEntry): Promise<void>;
  /** The entries after a position, the oldest first, without waiting. */
  readAfter(position: string): Promise<RevocationPage>;
  openTail(): Promise<RevocationTail>;
}

/**
 * Whether the log has an entry of this session now.
 * @throws StoreUnavailableError when the store does not answer
 */
export async function hasEntryOf(log: RevocationLog, sid: string): Promise<boolean> {
  for (let position = LOG_START; ; ) {
    const page = await log.readAfter(position);
    if (page.entries.some(({ sids }) => sids.includes(sid))) return true;
    if (page.complete) return false;
    position = page.position;
  }
}
