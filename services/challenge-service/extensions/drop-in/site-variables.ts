// The variables of sites.

import { Type } from '@sinclair/typebox';

const MOST_PER_MINUTE = 10_000_000;

/** The sites and their limits. */
export const SiteVariables = {
  SITES: Type.Optional(
    Type.String({
      description: '[Sites](drop-in.md) built for other captchas: JSON (`{…`), or path of a JSON file',
      shownDefault: 'none: routes return 404',
    }),
  ),
  RATE_LIMIT_REDEEM: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: MOST_PER_MINUTE,
    description: 'Receipt requests, also per site; counted per process',
  }),
  RATE_LIMIT_SITEVERIFY: Type.Integer({
    default: 6000,
    minimum: 1,
    maximum: MOST_PER_MINUTE,
    description: 'Verified receipts per site secret, not address; counted per process',
  }),
};
