// The rows of the dashboard about sessions.

import { type DashboardRow, of, quantile, rate, rateBy } from './panels.js';

/** Log-ins, refreshes, ended sessions, and the hashing of passwords. */
export const sessionRows: readonly DashboardRow[] = [
  {
    title: 'Sessions',
    panels: [
      {
        title: 'Log-ins',
        description: '`failed` or `throttled` far above the usual: accounts are attacked.',
        unit: 'ops',
        queries: [[rateBy('result', 'tollgate_logins_total'), '{{result}}']],
      },
      {
        title: 'Device cookies',
        description:
          'Log-ins with a device cookie of their account: `spent` far above the usual: cookies were stolen, or clients fail.',
        unit: 'ops',
        queries: [[rateBy('outcome', 'tollgate_device_cookies_total'), '{{outcome}}']],
      },
      {
        title: 'Users of other accounts',
        description:
          'Users whom the directory returned for the key of another account; the log names them. Above 0: its statement compares more loosely than the service counts, or somebody tries other spellings.',
        unit: 'ops',
        queries: [[`sum(${rate('tollgate_directory_other_accounts_total')})`, 'answered as unknown']],
      },
      {
        title: 'Refreshes',
        description:
          '`recovered` above a few percent: answers are lost on their way. `reuse`: an old cookie came back.',
        unit: 'ops',
        queries: [[rateBy('outcome', 'tollgate_refreshes_total'), '{{outcome}}']],
      },
      {
        title: 'Device binding',
        description:
          'Sessions bound to a key of their device, and renewals of their cookies. `failed`: another key has signed.',
        unit: 'ops',
        queries: [
          [rateBy('kind', 'tollgate_sessions_bound_total'), 'bound: {{kind}}'],
          [rateBy('outcome', 'tollgate_renewals_total'), 'renewal: {{outcome}}'],
        ],
      },
      {
        title: 'Sign-in codes',
        description:
          'Codes of applications with a sign-in of their own. `created` far above `exchanged`: pages do not get them.',
        unit: 'ops',
        queries: [[rateBy('outcome', 'tollgate_sign_in_codes_total'), '{{outcome}}']],
      },
      {
        title: 'Security events',
        description: 'Events of the audit stream, written or not.',
        unit: 'ops',
        queries: [
          [rateBy('event', 'tollgate_audit_events_total'), '{{event}}'],
          [`sum(${rate('tollgate_audit_suppressed_total')})`, 'suppressed by a flood'],
          [`sum(${rate('tollgate_audit_lost_total')})`, 'lost'],
        ],
      },
      {
        title: 'Tokens',
        description:
          'Tokens made, by the key of ENCRYPTION_KEY: after a change of keys the old one stops growing.',
        unit: 'ops',
        queries: [[rateBy('kind, key', 'tollgate_tokens_made_total'), '{{kind}} {{key}}']],
      },
      {
        title: 'Ended sessions',
        description:
          'Ended sessions that a process refuses from memory, and those not yet known to the others.',
        unit: 'short',
        queries: [
          [of('tollgate_revoked_sessions'), '{{instance}} refused'],
          [of('tollgate_revocations_waiting'), '{{instance}} waiting'],
        ],
      },
      {
        title: 'Log of ended sessions',
        description: 'Seconds since a process lost the log; above 30 it accepts sessions that have ended.',
        unit: 's',
        queries: [[of('tollgate_revocation_lag_seconds'), '{{instance}}']],
      },
    ],
  },
  {
    title: 'Passwords',
    panels: [
      {
        title: 'Time of a password',
        description: 'From a password to the outcome of its hash, the wait in the queue included.',
        unit: 's',
        queries: [
          [quantile(0.5, 'tollgate_password_check_duration_seconds'), 'median'],
          [quantile(0.99, 'tollgate_password_check_duration_seconds'), '99 %'],
        ],
      },
      {
        title: 'Queue of passwords',
        description: 'Passwords being checked and waiting, by process.',
        unit: 'short',
        queries: [[of('tollgate_password_checks'), '{{instance}} {{state}}']],
      },
      {
        title: 'Refused passwords',
        description: 'Passwords that were not checked because as many waited as may; the log-ins got a 503.',
        unit: 'ops',
        queries: [[rateBy('instance', 'tollgate_password_checks_refused_total'), '{{instance}}']],
      },
    ],
  },
];
