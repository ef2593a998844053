// What the store keeps of one session, and its text.

/** One session. Times are milliseconds since 1970. */
export interface SessionRecord {
  /** It is dead from here on unless refreshed: its last refresh token has expired. Never after the absolute expiry. */
  readonly expiresAtMs: number;
  /** When it was started or last answered with tokens. */
  readonly lastUsedAtMs: number;
  readonly createdAtMs: number;
  readonly absoluteExpiresAtMs: number;
  /** Zero until the first rotation. */
  readonly rotatedAtMs: number;
  /** Generation of the tokens that are current; the first is 1. */
  readonly generation: number;
  /** Highest generation known to have reached its owner. */
  readonly used: number;
  /** Generations that were handed out again after their answer had been lost. */
  readonly recoveries: readonly Recovery[];
  readonly userAgent: string;
}

/** A generation and when it was first recovered. */
export interface Recovery {
  readonly generation: number;
  readonly atMs: number;
}

const USER_AGENT_CHARACTERS = 200;

// Same shape as in lua/session_rotate.lua. No number but a time has 13 digits.
const RECORD = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\S+) (.*)$/;

/**
 * A user agent as it is kept: without control and format characters, one line, at most 200 characters.
 */
export function cleanUserAgent(text: string): string {
  const printable = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return [...printable].slice(0, USER_AGENT_CHARACTERS).join('');
}

/**
 * One line: expiry, last use, creation, absolute expiry, last rotation, generation, used, recoveries (pairs
 * `generation:time` with commas between them, `-` when there are none), user agent.
 */
export function formatSessionRecord(record: SessionRecord): string {
  const { expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs } = record;
  const recoveries =
    record.recoveries.map(({ generation, atMs }) => `${generation}:${atMs}`).join(',') || '-';
  return [
    ...[expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs],
    ...[record.generation, record.used, recoveries, record.userAgent],
  ].join(' ');
}

/**
 * Reads what `formatSessionRecord` wrote.
 * @throws SyntaxError for anything else
 */
export function parseSessionRecord(text: string): SessionRecord {
  const match = RECORD.exec(text);
  if (match === null) throw new SyntaxError('the store holds a session record that is none');
  const [expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs, generation, used] = match
    .slice(1, 8)
    .map(Number) as [number, number, number, number, number, number, number];
  return {
    ...{ expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs, generation, used },
    recoveries: parseRecoveries(match[8] ?? ''),
    userAgent: match[9] ?? '',
  };
}

function parseRecoveries(text: string): Recovery[] {
  return [...text.matchAll(/(\d+):(\d+)/g)].map(([, generation, atMs]) => ({
    generation: Number(generation),
    atMs: Number(atMs),
  }));
}
