// What each part of a person's data is, its purpose and its retention: for the export and for docs/personal-data.md.

import type { PartName } from './person-bodies.js';
import type { PersonSettings } from './person-places.js';

/** What each part is, its purpose and its retention. */
export const EXPLANATIONS: Readonly<
  Record<PartName, { what: string; why: string; until: (settings: PersonSettings) => string }>
> = {
  directory: {
    what: 'The account in the user directory. Its password hash is stored too, and not exported.',
    why: 'To log the person in.',
    until: () => 'Until the account is deleted.',
  },
  sessions: {
    what: 'Live sessions: times, browser name (user agent), authentication, device binding.',
    why: 'To keep the person logged in, to detect stolen cookies, and to list and end sessions.',
    until: ({ refreshTtl, maxAge }) =>
      `Until logout, ${durationOf(refreshTtl)} after the last refresh (REFRESH_TTL), or ${durationOf(maxAge)} after the login (SESSION_MAX_AGE).`,
  },
  ended_sessions: {
    what: 'Ended sessions: time, reason, keyed hash of the address that caused the end.',
    why: 'To explain a logout to the person, and to detect theft.',
    until: ({ auditTtl }) => `${durationOf(auditTtl)} after the end (AUDIT_TTL).`,
  },
  device_void: {
    what: 'When all known devices of the user became unknown, and the session whose device stayed known.',
    why: 'So that a stolen device cookie is worth nothing after a password change or the end of all sessions.',
    until: () => '366 days, longer than any device cookie lives.',
  },
  sign_in_codes: {
    what: 'Codes with which an application logs the person in: time and origin; the code itself as hash.',
    why: 'To log the person in from an application.',
    until: () => '60 seconds.',
  },
  account_events: {
    what: 'Logins and failed logins of the account: time, result, keyed hashes of account and address.',
    why: 'To explain logins to the person, and to investigate attacks.',
    until: ({ auditTtl }) => `${durationOf(auditTtl)} after the event (AUDIT_TTL).`,
  },
  failure_counters: {
    what: 'Times of recent failed attempts, for the account and by keyed hash of the address.',
    why: 'To slow down password guessing.',
    until: ({ failureDecay }) =>
      `${durationOf(failureDecay)} for the account (CAPTCHA_ESCALATION_DECAY), 24 hours for account and address.`,
  },
  directory_check: {
    what: 'User id and keyed hash of the address. Up to eight users are remembered.',
    why: 'To notice that the service runs with the wrong user directory.',
    until: ({ refreshTtl }) =>
      `${durationOf(refreshTtl)} and two hours after the last login or refresh (REFRESH_TTL).`,
  },
  audit_log: {
    what: 'Security events in AUDIT_LOG and its rotated files, with user id, session ids and keyed hashes of account and address.',
    why: 'To detect and investigate attacks.',
    until: ({ auditDays, auditPath }) => {
      if (auditPath === undefined) return 'Not stored by the service: the events go to its standard output.';
      return auditDays === undefined
        ? 'Until the operator removes the file (AUDIT_LOG_DAYS is not set).'
        : `${auditDays} days after the event, at most two more (AUDIT_LOG_DAYS).`;
    },
  },
};

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const;

/** A duration in the largest unit that fits, such as `7 days`. */
export function durationOf(seconds: number): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length && seconds % length === 0) ?? [
    'seconds',
    1,
  ];
  return `${seconds / length} ${unit}`;
}
