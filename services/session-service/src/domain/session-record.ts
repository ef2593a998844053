// The record of one session, its encoding in the store, and its rules.

import type { AuthenticationClaims } from '@tollgate/shared/schemas';

/** One session. Times are milliseconds since 1970. */
export interface SessionRecord {
  /** Expiry time of the session if not refreshed; never after the absolute expiry. */
  readonly expiresAtMs: number;
  /** Time of its start or last issued tokens. */
  readonly lastUsedAtMs: number;
  readonly createdAtMs: number;
  readonly absoluteExpiresAtMs: number;
  /** Zero until the first rotation. */
  readonly rotatedAtMs: number;
  /** Generation of the current tokens; the first is 1. */
  readonly generation: number;
  /** The highest generation known to have reached its owner. */
  readonly used: number;
  /** Generations that were issued again because their response was lost. */
  readonly recoveries: readonly Recovery[];
  readonly userAgent: string;
  /** Further data on the session, by name; most sessions have none. */
  readonly attributes: SessionAttributes;
}

/** Strings by name. Names are letters, digits and `_`; values are visible ASCII characters. */
export type SessionAttributes = Readonly<Record<string, string>>;

/** A generation and when it was first recovered. */
export interface Recovery {
  readonly generation: number;
  readonly atMs: number;
}

/** The rules of sessions, from the configuration, in the units of the store. */
export interface SessionRules {
  /** `REFRESH_WINDOW`: how long the response to a rotation is repeated, in milliseconds; 0 is strict single use. */
  readonly windowMs: number;
  /** `REFRESH_RECOVERIES`: generations that may be recovered in 24 hours. */
  readonly recoveries: number;
  /** `REFRESH_TTL`: a session that is not refreshed for this long expires, in milliseconds. */
  readonly refreshTtlMs: number;
  /** `REFRESH_TTL_NOT_REMEMBERED`: the same for a session that ends with its browser, if it is shorter. */
  readonly notRememberedTtlMs: number;
  /** `SESSION_MAX_AGE`: the maximum age of a session, in milliseconds. */
  readonly maxAgeMs: number;
  /** `MAX_SESSIONS`: the maximum number of sessions per user, at least 1. */
  readonly maxSessions: number;
}

const MAX_USER_AGENT_CHARACTERS = 200;

// The same pattern as in lua/session_rotate.lua. Only times have 13 digits, in attributes too. A cleaned user agent has no
// tab.
const RECORD = /^(\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\S+) ([^\t]*)(?:\t(.*))?$/;

const ATTRIBUTE = /^\w+=[!-~]*$/;

/** The attribute of a session without "remember me": it ends with its browser. */
export const NOT_REMEMBERED: SessionAttributes = { remember: '0' };

/** Whether a session outlives its browser. */
export function isRemembered({ remember }: SessionAttributes): boolean {
  return remember !== NOT_REMEMBERED.remember;
}

/** How long this session may go without a refresh, in milliseconds. */
export function refreshTtlOf(
  attributes: SessionAttributes,
  { refreshTtlMs, notRememberedTtlMs }: Pick<SessionRules, 'refreshTtlMs' | 'notRememberedTtlMs'>,
): number {
  return isRemembered(attributes) ? refreshTtlMs : Math.min(refreshTtlMs, notRememberedTtlMs);
}

/** Prepares a user agent for storage: removes control and format characters and truncates it to 200 characters. */
export function cleanUserAgent(text: string): string {
  const printable = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '').trim();
  return [...printable].slice(0, MAX_USER_AGENT_CHARACTERS).join('');
}

/**
 * Encodes a record as one line: expiry, last use, creation, absolute expiry, last rotation, generation, used, recoveries
 * (pairs `generation:time` separated by commas, `-` if there are none), user agent; after a tab the attributes (pairs
 * `name=value` separated by spaces), if there are any. A version without attributes treats them as a part of the user agent
 * and preserves them.
 * @throws RangeError for an invalid attribute
 */
export function formatSessionRecord(record: SessionRecord): string {
  const { expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs } = record;
  const recoveries =
    record.recoveries.map(({ generation, atMs }) => `${generation}:${atMs}`).join(',') || '-';
  return [
    ...[expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs],
    ...[record.generation, record.used, recoveries, record.userAgent + formatAttributes(record.attributes)],
  ].join(' ');
}

/**
 * Encodes attributes as the end of a record: empty if there are none.
 * @throws RangeError for an invalid attribute
 */
export function formatAttributes(attributes: SessionAttributes): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  const wrong = pairs.findIndex((pair) => !ATTRIBUTE.test(pair));
  if (wrong >= 0)
    throw new RangeError(`session attribute ${Object.keys(attributes)[wrong]} cannot be stored`);
  return pairs.length === 0 ? '' : `\t${pairs.join(' ')}`;
}

/** Decodes the attributes of a record, without the tab. */
export function parseAttributes(text: string): SessionAttributes {
  const pairs = text.split(' ').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  );
}

/**
 * Decodes the result of `formatSessionRecord`.
 * @throws SyntaxError for any other string
 */
export function parseSessionRecord(text: string): SessionRecord {
  const match = RECORD.exec(text);
  if (match === null) throw new SyntaxError('the store has a malformed session record');
  const [expiresAtMs, lastUsedAtMs, createdAtMs, absoluteExpiresAtMs, rotatedAtMs, generation, used] = match
    .slice(1, 8)
    .map(Number) as [number, number, number, number, number, number, number];
  return {
    expiresAtMs,
    lastUsedAtMs,
    createdAtMs,
    absoluteExpiresAtMs,
    rotatedAtMs,
    generation,
    used,
    recoveries: parseRecoveries(match[8] ?? ''),
    userAgent: match[9] ?? '',
    attributes: parseAttributes(match[10] ?? ''),
  };
}

function parseRecoveries(text: string): Recovery[] {
  return [...text.matchAll(/(\d+):(\d+)/g)].map(([, generation, atMs]) => ({
    generation: Number(generation),
    atMs: Number(atMs),
  }));
}

/** The methods of a password (RFC 8176, 2). */
export const PASSWORD_METHODS = 'pwd';

/**
 * The attributes of an authentication by an application. Both are set even if the application did not specify them, because
 * a session without them was opened with a password.
 */
export function authenticationAttributes({ amr = [], auth_time }: AuthenticationClaims): SessionAttributes {
  return { amr: amr.join(','), auth_time: auth_time === undefined ? '' : String(auth_time * 1000) };
}

/** The attributes of a password authentication. @param nowMs milliseconds since 1970, on the store's clock */
export function passwordAttributes(nowMs: number): SessionAttributes {
  return { amr: PASSWORD_METHODS, auth_time: String(nowMs) };
}

/**
 * The claims of a session: those of its attributes, or of a password authentication at its start.
 * @param createdAtMs start of the session, in milliseconds since 1970
 */
export function authenticationClaims(
  attributes: SessionAttributes,
  createdAtMs: number,
): AuthenticationClaims {
  const { amr = PASSWORD_METHODS, auth_time: timeMs = String(createdAtMs) } = attributes;
  return {
    ...(amr === '' ? {} : { amr: amr.split(',') }),
    ...(timeMs === '' ? {} : { auth_time: Math.floor(Number(timeMs) / 1000) }),
  };
}
