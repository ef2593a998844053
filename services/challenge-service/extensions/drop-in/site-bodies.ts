// The bodies of sites: for redeeming a page's work, and for verifying a receipt.

import { type Static, Type } from '@sinclair/typebox';
import { PowQuery } from '@tollgate/shared/schemas';

/** The key of a site: 1 to 64 letters, digits, `_` or `-`. */
export const SITE_KEY_PATTERN = '^[A-Za-z0-9_-]{1,64}$';

/** The path of a site below the prefix. */
export const SITE_PATH = '/sites/:sitekey';

/** Its parameter. */
export const SiteParams = Type.Object({ sitekey: Type.String({ pattern: SITE_KEY_PATTERN }) });
export type SiteParams = Static<typeof SiteParams>;

/** The APIs that decide the form of a siteverify response. */
export const Api = Type.Union([
  Type.Literal('recaptcha'),
  Type.Literal('hcaptcha'),
  Type.Literal('turnstile'),
]);
export type Api = Static<typeof Api>;

/** The action of a receipt, a name chosen by the page. */
export const Action = Type.String({ pattern: '^[A-Za-z0-9_/-]{0,100}$' });

/** The data of a receipt, from the page to its server. */
export const Cdata = Type.String({ pattern: '^[A-Za-z0-9_-]{0,255}$' });

/** Query of `GET {prefix}/sites/{sitekey}/pow`. */
export const SitePowQuery = Type.Omit(PowQuery, ['scope']);
export type SitePowQuery = Static<typeof SitePowQuery>;

// Checked by the verifier, which reports the mistakes in each.
const challengeField = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));

/** Body of `POST {prefix}/sites/{sitekey}/redeem`. */
export const RedeemBody = Type.Object({
  pow_token: challengeField('Token of a proof-of-work challenge of this site; 40 letters and digits'),
  pow_nonce: challengeField(
    'Decimal number that solves it, 1 to 24 digits; for `hashwx-1` four numbers joined by dots',
  ),
  captcha_token: challengeField('Token of an image challenge of this site, if the site requires one'),
  captcha: challengeField('The characters of the image, if the site requires one'),
  api: Type.Optional(
    Type.Union([...Api.anyOf, Type.Literal('')], {
      description: 'API that decides the form of the siteverify response; default Turnstile',
    }),
  ),
  action: Type.Optional({
    ...Action,
    description: "Name of the page's action: up to 100 letters, digits, `_`, `/` and `-`",
  } as typeof Action),
  cdata: Type.Optional({
    ...Cdata,
    description: "Data for the page's server: up to 255 letters, digits, `_` and `-`",
  } as typeof Cdata),
  origin: Type.Optional(
    Type.String({
      maxLength: 300,
      description:
        'Origin of the page around the frame; used only in requests from the origin of `PUBLIC_URL`',
    }),
  ),
});
export type RedeemBody = Static<typeof RedeemBody>;

/** Response to `POST {prefix}/sites/{sitekey}/redeem`. */
export const Receipt = Type.Object(
  {
    token: Type.String({
      pattern: '^[A-Za-z0-9._~-]+$',
      description: 'The receipt that the page sends to its server; at most 100 characters, single use',
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
export const SiteverifyBody = Type.Object(
  {
    secret: Type.String({ description: 'The secret of the site' }),
    response: Type.String({ description: 'The receipt from the page' }),
    remoteip: Type.Optional(
      Type.String({ description: 'Address of the visitor; used only for a site with `check_remoteip`' }),
    ),
    sitekey: Type.Optional(Type.String({ description: 'Expected site key' })),
    idempotency_key: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Repeats with the same key and receipt get the same response',
      }),
    ),
  },
  { $id: 'SiteverifyBody' },
);

/** Why a receipt is rejected, with the codes of reCAPTCHA, hCaptcha and Turnstile. */
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

/** Response to `POST {prefix}/siteverify`. */
export const SiteverifyAnswer = Type.Object(
  {
    success: Type.Boolean(),
    'error-codes': Type.Optional(
      Type.Array(SiteverifyError, {
        description:
          'Reason for a rejection; empty for a valid receipt, absent for a valid one of reCAPTCHA or hCaptcha',
      }),
    ),
    challenge_ts: Type.Optional(
      Type.String({ description: 'Time of redemption', examples: ['2026-01-02T03:04:05Z'] }),
    ),
    hostname: Type.Optional(Type.String({ description: 'Host name of the page' })),
    action: Type.Optional(
      Type.String({ description: "The page's action; absent for hCaptcha, and for reCAPTCHA without one" }),
    ),
    cdata: Type.Optional(Type.String({ description: "The page's data; for Turnstile only" })),
    score: Type.Optional(
      Type.Number({
        description: "The site's constant score, for reCAPTCHA with an action; does not measure the visitor",
      }),
    ),
    credit: Type.Optional(Type.Literal(false, { description: 'For hCaptcha only' })),
  },
  { $id: 'SiteverifyAnswer' },
);
export type SiteverifyAnswer = Static<typeof SiteverifyAnswer>;
