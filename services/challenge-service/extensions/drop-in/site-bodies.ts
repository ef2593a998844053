// The bodies of sites: what a page redeems its work with, and what a server is told of the receipt.

import { type Static, Type } from '@sinclair/typebox';
import { PowQuery } from '@tollgate/shared/schemas';

/** The key of a site: 1 to 64 letters, digits, `_` or `-`. */
export const SITE_KEY_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/** The path of a site below the prefix. */
export const SITE_PATH = '/sites/:sitekey';

/** Its parameter. */
export const SiteParams = Type.Object({ sitekey: Type.String({ pattern: SITE_KEY_PATTERN }) });
export type SiteParams = Static<typeof SiteParams>;

/** The APIs whose form the answer to a server has. */
export const Api = Type.Union([
  Type.Literal('recaptcha'),
  Type.Literal('hcaptcha'),
  Type.Literal('turnstile'),
]);
export type Api = Static<typeof Api>;

/** The action of a receipt, a name that the page chooses. */
export const Action = Type.String({ pattern: '^[A-Za-z0-9_/-]{0,100}$' });

/** The data of a receipt, which the page hands to its server. */
export const Cdata = Type.String({ pattern: '^[A-Za-z0-9_-]{0,255}$' });

/** Query of `GET {prefix}/sites/{sitekey}/pow`. */
export const SitePowQuery = Type.Omit(PowQuery, ['scope']);
export type SitePowQuery = Static<typeof SitePowQuery>;

// Checked by the verifier, which says what is wrong with each.
const challengeField = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));

/** Body of `POST {prefix}/sites/{sitekey}/redeem`. */
export const RedeemBody = Type.Object({
  pow_token: challengeField('Token of a proof-of-work challenge of this site; 40 letters and digits'),
  pow_nonce: challengeField(
    'Decimal number that solves it, 1 to 24 digits; for `hashwx-1` four numbers joined by dots',
  ),
  captcha_token: challengeField('Token of an image challenge of this site, where the site demands one'),
  captcha: challengeField('The characters of the image, where the site demands one'),
  api: Type.Optional(
    Type.Union([...Api.anyOf, Type.Literal('')], {
      description: 'The API whose form the answer to the server shall have; that of Turnstile without one',
    }),
  ),
  action: Type.Optional({
    ...Action,
    description: 'A name of what the page does: up to 100 letters, digits, `_`, `/` and `-`',
  } as typeof Action),
  cdata: Type.Optional({
    ...Cdata,
    description: 'Data for the server of the page: up to 255 letters, digits, `_` and `-`',
  } as typeof Cdata),
  origin: Type.Optional(
    Type.String({
      maxLength: 300,
      description:
        'Origin of the page around the frame; counts only in a request from the origin of `PUBLIC_URL`',
    }),
  ),
});
export type RedeemBody = Static<typeof RedeemBody>;

/** Answer to `POST {prefix}/sites/{sitekey}/redeem`. */
export const Receipt = Type.Object(
  {
    token: Type.String({
      pattern: '^[A-Za-z0-9._~-]+$',
      description: 'The receipt, which the page sends to its server; at most 100 characters, single use',
    }),
    expires_in: Type.Integer({ description: 'Seconds until expiry; unaffected by clock differences' }),
    expires_at: Type.String({
      description: 'Absolute expiry, ISO 8601 in UTC',
      examples: ['2026-08-10T15:05:28+00:00'],
    }),
  },
  { $id: 'Receipt' },
);
export type Receipt = Static<typeof Receipt>;

/** Body of `POST {prefix}/siteverify`, as a form or JSON. */
export const SiteverifyBody = Type.Object({
  secret: Type.String({ description: 'The secret of the site' }),
  response: Type.String({ description: 'The receipt that the page has sent' }),
  remoteip: Type.Optional(
    Type.String({ description: 'Address of the visitor; counts only for a site with `check_remoteip`' }),
  ),
  sitekey: Type.Optional(Type.String({ description: 'Key that the site must have' })),
  idempotency_key: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'With the same key and receipt the answer is the same again',
    }),
  ),
});

/** Why a receipt is refused, in the words of reCAPTCHA, hCaptcha and Turnstile. */
export const SiteverifyError = Type.Union([
  Type.Literal('missing-input-secret'),
  Type.Literal('invalid-input-secret'),
  Type.Literal('missing-input-response'),
  Type.Literal('invalid-input-response'),
  Type.Literal('sitekey-secret-mismatch'),
  Type.Literal('timeout-or-duplicate'),
  Type.Literal('bad-request'),
  Type.Literal('internal-error'),
]);
export type SiteverifyError = Static<typeof SiteverifyError>;

/** Answer to `POST {prefix}/siteverify`. */
export const SiteverifyAnswer = Type.Object(
  {
    success: Type.Boolean(),
    'error-codes': Type.Optional(
      Type.Array(SiteverifyError, {
        description:
          'Why it is refused; empty for a good receipt, and absent for one of reCAPTCHA or hCaptcha',
      }),
    ),
    challenge_ts: Type.Optional(
      Type.String({ description: 'When the work was redeemed', examples: ['2026-01-02T03:04:05Z'] }),
    ),
    hostname: Type.Optional(Type.String({ description: 'Host name of the page' })),
    action: Type.Optional(
      Type.String({ description: 'As the page gave it; absent for hCaptcha, for reCAPTCHA without one' }),
    ),
    cdata: Type.Optional(Type.String({ description: 'As the page gave it; for Turnstile only' })),
    score: Type.Optional(
      Type.Number({
        description: 'The constant of the site, for reCAPTCHA with an action: no measure of the visitor',
      }),
    ),
    credit: Type.Optional(Type.Literal(false, { description: 'For hCaptcha only' })),
  },
  { $id: 'SiteverifyAnswer' },
);
export type SiteverifyAnswer = Static<typeof SiteverifyAnswer>;
