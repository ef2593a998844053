// The dashboard's rows about sessions.

import { type DashboardRow, of, quantile, rate, rateBy } from './panels.js';

/** Logins, refreshes, ended sessions, and password hashing. */
export const sessionRows: readonly DashboardRow[] = [
  {
    title: 'Sessions',
    panels: [
      {
        title: 'Logins',
        description: '`failed` or `throttled` far above usual: accounts are attacked.',
        unit: 'ops',
        queries: [[rateBy('result', 'tollgate_logins_total'), '{{result}}']],
      },
      {
        title: 'Device cookies',
        description:
          'Logins with a device cookie of their account. `spent` far above usual: stolen cookies, or failing clients.',
        unit: 'ops',
        queries: [[rateBy('outcome', 'tollgate_device_cookies_total'), '{{outcome}}']],
      },
      {
        title: 'Users of other accounts',
        description:
          'Users returned for another account key; the log names them. Above 0: the lookup compares too loosely, or an attacker tries other spellings.',
        unit: 'ops',
        queries: [[`sum(${rate('tollgate_directory_other_accounts_total')})`, 'treated as unknown']],
      },
      {
        title: 'Refreshes',
        description: '`recovered` above a few percent: responses are lost. `reuse`: an old cookie was used.',
        unit: 'ops',
        queries: [[rateBy('outcome', 'tollgate_refreshes_total'), '{{outcome}}']],
      },
      {
        title: 'Device binding',
        description:
          'Sessions bound to a device key, and their cookie renewals. `failed`: signed with another key.',
        unit: 'ops',
        queries: [
          [rateBy('kind', 'tollgate_sessions_bound_total'), 'bound: {{kind}}'],
          [rateBy('outcome', 'tollgate_renewals_total'), 'renewal: {{outcome}}'],
        ],
      },
      {
        title: 'Login codes',
        description:
          'Codes of applications with their own login. `created` far above `exchanged`: codes do not reach their pages.',
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
        description: 'Encrypted tokens by ENCRYPTION_KEY id: after a rotation, the old key stops growing.',
        unit: 'ops',
        queries: [[rateBy('kind, key', 'tollgate_tokens_made_total'), '{{kind}} {{key}}']],
      },
      {
        title: 'Ended sessions',
        description: 'Ended sessions rejected from memory, and ended sessions not yet published.',
        unit: 'short',
        queries: [
          [of('tollgate_revoked_sessions'), '{{instance}} rejected'],
          [of('tollgate_revocations_waiting'), '{{instance}} waiting'],
        ],
      },
      {
        title: 'Revocation log',
        description: 'Seconds since a process lost the log; above 30 it may accept ended sessions.',
        unit: 's',
        queries: [[of('tollgate_revocation_lag_seconds'), '{{instance}}']],
      },
    ],
  },
  {
    title: 'Passwords',
    panels: [
      {
        title: 'Password check duration',
        description: 'Password check duration, queue included.',
        unit: 's',
        queries: [
          [quantile(0.5, 'tollgate_password_check_duration_seconds'), 'median'],
          [quantile(0.99, 'tollgate_password_check_duration_seconds'), '99 %'],
        ],
      },
      {
        title: 'Password queue',
        description: 'Passwords being checked and waiting, by process.',
        unit: 'short',
        queries: [[of('tollgate_password_checks'), '{{instance}} {{state}}']],
      },
      {
        title: 'Rejected passwords',
        description: 'Passwords rejected because of a full queue; their logins got 503.',
        unit: 'ops',
        queries: [[rateBy('instance', 'tollgate_password_checks_refused_total'), '{{instance}}']],
      },
    ],
  },
];
