// The variables of the sites whose pages and servers use the challenge service.

import { Type } from '@sinclair/typebox';

const MOST_PER_MINUTE = 10_000_000;

/** The sites and their limits. */
export const SiteVariables = {
  SITES: Type.Optional(
    Type.String({
      description:
        'Sites of yours that take a receipt in place of reCAPTCHA, hCaptcha or Turnstile: the path of a JSON file, or JSON that begins with `{`',
      shownDefault: 'none: their routes answer 404',
    }),
  ),
  RATE_LIMIT_REDEEM: Type.Integer({
    default: 60,
    minimum: 1,
    maximum: MOST_PER_MINUTE,
    description: 'Requests for a receipt, per minute, address and site; counted in each process',
  }),
  RATE_LIMIT_SITEVERIFY: Type.Integer({
    default: 6000,
    minimum: 1,
    maximum: MOST_PER_MINUTE,
    description: 'Receipts that are verified, per minute and secret of a site; counted in each process',
  }),
};
