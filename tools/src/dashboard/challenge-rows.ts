// The dashboard's row about challenges.

import { type DashboardRow, of, quantile, rate, rateBy } from './panels.js';

/** Issued, solved and rejected challenges, and drawn images. */
export const challengeRows: readonly DashboardRow[] = [
  {
    title: 'Challenges',
    panels: [
      {
        title: 'Issued',
        description: 'Challenges per second, by type and preset.',
        unit: 'ops',
        queries: [
          [rateBy('challenge, preset', 'tollgate_challenges_issued_total'), '{{challenge}} {{preset}}'],
        ],
      },
      {
        title: 'Solved',
        description: 'Accepted challenges, by application.',
        unit: 'ops',
        queries: [
          [
            rateBy('application, challenge', 'tollgate_challenges_solved_total'),
            '{{application}} {{challenge}}',
          ],
        ],
      },
      {
        title: 'Rejected',
        description:
          '`spent` and `wrong` far above usual: a guessing attack. `missing` and `insufficient` are ordinary.',
        unit: 'ops',
        queries: [
          [rateBy('application, reason', 'tollgate_challenges_refused_total'), '{{application}} {{reason}}'],
        ],
      },
      {
        title: 'Passes',
        description: 'Passes per second, by name and outcome. `wrong`: a guessing attack.',
        unit: 'ops',
        queries: [[rateBy('pass, outcome', 'tollgate_passes_presented_total'), '{{pass}} {{outcome}}']],
      },
      {
        title: 'Proofs of work by algorithm',
        description: 'Issued, verified and rejected per second. `sha256` grows if pages cannot run HashWX.',
        unit: 'ops',
        queries: [[rateBy('algorithm, outcome', 'tollgate_work_total'), '{{algorithm}} {{outcome}}']],
      },
      {
        title: 'Proof-of-work price',
        description:
          'Leading zero bits; each further bit doubles the work. Clients that share an address pay more.',
        unit: 'short',
        queries: [
          [quantile(0.5, 'tollgate_challenge_difficulty_bits'), 'median'],
          [quantile(0.99, 'tollgate_challenge_difficulty_bits'), '99 %'],
          [
            `sum(${rate('tollgate_challenge_difficulty_bits_sum')}) / sum(${rate('tollgate_challenge_difficulty_bits_count')})`,
            'mean',
          ],
        ],
      },
      {
        title: 'Price by load',
        description:
          'Queue load of all processes (1: full use, 2: rejecting), its level, and the bits added to the price.',
        unit: 'short',
        queries: [
          [`max by (queue) (${of('tollgate_load_ratio')})`, 'load of {{queue}}'],
          [`max(${of('tollgate_load_level')})`, 'level'],
          [`max by (by) (${of('tollgate_price_raised_bits')})`, 'bits by {{by}}'],
        ],
      },
      {
        title: 'Image duration',
        description: 'Image duration, queue included.',
        unit: 's',
        queries: [
          [quantile(0.5, 'tollgate_image_draw_duration_seconds'), 'median'],
          [quantile(0.99, 'tollgate_image_draw_duration_seconds'), '99 %'],
        ],
      },
      {
        title: 'Image queue',
        description: 'Images being drawn and waiting; with 100 waiting, further ones are rejected.',
        unit: 'short',
        queries: [
          [`sum by (state) (${of('tollgate_image_jobs')})`, '{{state}}'],
          [`sum(${rate('tollgate_images_refused_total')})`, 'rejected per second'],
        ],
      },
      {
        title: 'Gate',
        description: 'Requests to guarded sites per second, by outcome; passes issued.',
        unit: 'ops',
        queries: [
          [rateBy('outcome, reason', 'tollgate_gate_checks_total'), '{{outcome}} {{reason}}'],
          [`sum(${rate('tollgate_gate_passes_total')})`, 'issued'],
        ],
      },
    ],
  },
  {
    title: 'Sites',
    panels: [
      {
        title: 'Issued to sites',
        description: 'Challenges per second, by site key.',
        unit: 'ops',
        queries: [
          [rateBy('site, challenge', 'tollgate_site_challenges_issued_total'), '{{site}} {{challenge}}'],
        ],
      },
      {
        title: 'Receipts',
        description:
          'Receipt requests from pages. `hostname_not_allowed` for a new page: add its host name to SITES.',
        unit: 'ops',
        queries: [[rateBy('site, outcome', 'tollgate_site_redemptions_total'), '{{site}} {{outcome}}']],
      },
      {
        title: 'Receipts verified',
        description:
          'Requests from site servers. `timeout-or-duplicate` far above usual: receipts are sent twice.',
        unit: 'ops',
        queries: [[rateBy('site, outcome', 'tollgate_siteverify_requests_total'), '{{site}} {{outcome}}']],
      },
    ],
  },
];
