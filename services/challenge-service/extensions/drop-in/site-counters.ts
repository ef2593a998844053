// The metrics of sites, each under its key.

import type { Metrics, WorkCounter } from '@tollgate/shared/http';

/** Counts events on sites. */
export interface SiteCounters {
  /** An issued challenge; its type is `pow`, `image` or the name of its replacement. */
  issued(site: string, challenge: string): void;
  /** A redemption: `redeemed`, or the code of its rejection; with its work, if the algorithm is known. */
  redeemed(site: string, outcome: string, algorithm?: string): void;
  /** A verification of a receipt: `success`, or the code of its rejection. An empty key is an unknown site. */
  verified(site: string, outcome: string): void;
}

/**
 * Adds the metrics.
 * @param countWork counts redeemed and rejected work
 */
export function createSiteCounters(metrics: Metrics, countWork: WorkCounter): SiteCounters {
  const issued = metrics.counter(
    'tollgate_site_challenges_issued_total',
    'Challenges issued to pages of a site',
    ['site', 'challenge'],
  );
  const redeemed = metrics.counter(
    'tollgate_site_redemptions_total',
    'Receipt requests by pages of a site, by outcome',
    ['site', 'outcome'],
  );
  const verified = metrics.counter(
    'tollgate_siteverify_requests_total',
    'Receipt verifications by servers, by outcome',
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
