// The metrics of sites, each under its key.

import type { Metrics, WorkCounter } from '@tollgate/shared/http';

/** Counts what happens on sites. */
export interface SiteCounters {
  /** An issued challenge; its type is `pow`, `image` or the name of what stands in for one. */
  issued(site: string, challenge: string): void;
  /** A redemption: `redeemed`, or the code of its refusal; and its work, if the algorithm is known. */
  redeemed(site: string, outcome: string, algorithm?: string): void;
  /** A receipt that was asked about: `success`, or the code of its refusal. An empty key is an unknown site. */
  verified(site: string, outcome: string): void;
}

/**
 * Adds the metrics.
 * @param countWork counts redeemed and refused work
 */
export function createSiteCounters(metrics: Metrics, countWork: WorkCounter): SiteCounters {
  const issued = metrics.counter(
    'tollgate_site_challenges_issued_total',
    'Challenges that were issued to pages of a site',
    ['site', 'challenge'],
  );
  const redeemed = metrics.counter(
    'tollgate_site_redemptions_total',
    'Requests of pages of a site for a receipt, by their outcome',
    ['site', 'outcome'],
  );
  const verified = metrics.counter(
    'tollgate_siteverify_requests_total',
    'Requests of servers to verify a receipt, by their outcome',
    ['site', 'outcome'],
  );
  return {
    issued: (site, challenge) => issued({ site, challenge }),
    redeemed(site, outcome, algorithm) {
      redeemed({ site, outcome });
      if (algorithm !== undefined) countWork(algorithm, outcome === 'redeemed' ? 'verified' : 'refused');
    },
    verified: (site, outcome) => verified({ site, outcome }),
  };
}
