// How a spent record looks in the store: a mark, the claim, the time, then the record.

export const CONSUMED_PREFIX = '!';

/** The line of a record that `claim` spent at `atMs`. */
export function encodeConsumedRecord(claim: string, atMs: number, line: string): string {
  return `${CONSUMED_PREFIX}${claim} ${atMs} ${line}`;
}

/** What a spent line holds, or null for a line that is not spent. */
export function parseConsumedRecord(text: string): { claim: string; takenAtMs: number; line: string } | null {
  if (!text.startsWith(CONSUMED_PREFIX)) return null;
  const claimEnd = text.indexOf(' ');
  const timeEnd = text.indexOf(' ', claimEnd + 1);
  return {
    claim: text.slice(CONSUMED_PREFIX.length, claimEnd),
    takenAtMs: Number(text.slice(claimEnd + 1, timeEnd)),
    line: text.slice(timeEnd + 1),
  };
}
