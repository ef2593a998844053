// The bodies of the host API.

import { type Static, Type } from '@sinclair/typebox';
import type { CaptchaOptions } from './captcha-options.js';
import { challengeFields } from './challenge-bodies.js';
import { NAME_PATTERN } from './names.js';

/** The longest account key of an application, in characters. */
export const MAX_KEY_CHARACTERS = 512;

const key = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_CHARACTERS,
  description:
    "The attempted account, in the application's own spelling; counted separately for each application",
});
const ip = Type.String({
  minLength: 1,
  maxLength: 64,
  format: 'ip',
  description: 'IP address of the client',
});
const strict = { additionalProperties: false };

const checked = {
  key: Type.Optional(key),
  ip: Type.Optional(ip),
  idempotency_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Idempotency key: a repetition gets the same verdict. Use a new one for each submission, never a value from a client',
    }),
  ),
};

const rules = {
  count: Type.Optional(
    Type.Boolean({
      description:
        'With `key`: counts this attempt as a failure before its outcome is known, and checks again',
    }),
  ),
  pow: Type.Optional(Type.Boolean({ description: 'Whether work is required; true by default' })),
  image: Type.Optional(
    Type.Union([Type.Literal('required'), Type.Literal('demanded')], {
      description:
        'Requires an image, whatever the account; without one the code is `captcha_invalid` before anything is spent (required) or `captcha_required` after the work (demanded)',
    }),
  ),
  presets: Type.Optional(
    Type.Array(Type.String({ pattern: NAME_PATTERN }), {
      minItems: 1,
      maxItems: 32,
      description: 'Names of accepted presets; `effort` is one of them',
    }),
  ),
  algorithms: Type.Optional(
    Type.Array(Type.Union([Type.Literal('sha256'), Type.Literal('hashwx-1')]), {
      minItems: 1,
      maxItems: 2,
      description: 'Accepted algorithms, a subset of `CAPTCHA_POW_ALGORITHMS`',
    }),
  ),
};

/** Body of `POST /host/verify` without the challenge fields, whose names are configurable. */
export const HostVerifyBody = Type.Object({
  submission: Type.Optional(
    // An object in the documents; anything else passes too, and has no challenge fields.
    Type.Union([Type.Object({}), Type.Unknown()], {
      description: 'The whole form as received: only its challenge fields are read',
    }),
  ),
  ...checked,
  ...rules,
  captcha_pass: Type.Optional(
    Type.Unsafe<unknown>({
      description: "Header `Captcha-Pass` of the client's request: a pass replaces work",
    }),
  ),
  at_least: Type.Optional(Type.Integer({ minimum: 1 })),
  min_difficulty: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type HostVerifyBody = Static<typeof HostVerifyBody>;

/**
 * Returns the same with the challenge fields under their configured names, which the verifier checks, not the schema.
 * Unknown properties are ignored, so that an application may forward its whole form.
 */
export function hostVerifyBody(options: CaptchaOptions) {
  const { max_difficulty: maximum } = options.pow;
  const bits = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }));
  return Type.Object({
    ...challengeFields(options),
    ...HostVerifyBody.properties,
    at_least: bits('Lowest accepted difficulty, in bits'),
    min_difficulty: bits('Older name of `at_least`; the higher of both counts'),
  });
}

const captcha_required = Type.Boolean({ description: 'The next attempt requires an image answer' });
const pow_scope = Type.Optional(
  Type.String({ description: "Ticket for work priced by this account's failures; for `?scope=`" }),
);
const captcha_alternatives = Type.Optional(
  Type.Array(Type.String(), { description: 'Presets that may replace the required image' }),
);
const captcha_presets = Type.Optional(
  Type.Array(Type.String(), { description: 'Accepted image presets; for `?preset=`' }),
);
const pow_min_difficulty = Type.Optional(
  Type.Integer({ description: 'Lowest accepted difficulty, in bits; for `?min_difficulty=`' }),
);
const pow_algorithms = Type.Optional(
  Type.Array(Type.String(), { description: 'Accepted algorithms; for `?algorithms=`' }),
);

/** Response to `POST /host/verify`. */
export const HostVerdict = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.Optional(Type.String({ description: 'Reason of the failure, for people' })),
    code: Type.Optional(
      Type.String({ description: 'Reason of the failure, as the code of a guarded route' }),
    ),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Mistakes by field, for people',
      }),
    ),
    retry_after: Type.Optional(
      Type.Integer({ description: 'With `pass_exhausted`: seconds until the pass is usable again' }),
    ),
    captcha_required,
    pow_scope,
    captcha_alternatives,
    captcha_presets,
    pow_min_difficulty,
    pow_algorithms,
    failures: Type.Optional(
      Type.Integer({ description: 'With `count`: failures of the account, including this attempt' }),
    ),
    try: Type.Optional(
      Type.String({ description: 'With `count`: id of this attempt for `DELETE /host/failures`' }),
    ),
  },
  { $id: 'HostVerdict' },
);
export type HostVerdict = Static<typeof HostVerdict>;

/** Body of `POST /host/failures`. */
export const HostFailureBody = Type.Object({ key, ip: Type.Optional(ip) }, strict);
export type HostFailureBody = Static<typeof HostFailureBody>;

/** Response to `POST /host/failures`. */
export const HostFailure = Type.Object(
  {
    failures: Type.Integer({
      description: 'Stored failures of this account, including this one; at most 100',
    }),
    captcha_required,
    pow_scope,
    captcha_alternatives,
    try: Type.String({ description: 'Id of this failure for `DELETE /host/failures`' }),
  },
  { $id: 'HostFailure' },
);
export type HostFailure = Static<typeof HostFailure>;

/** Body of `DELETE /host/failures`: with `try` one failure is withdrawn, otherwise all are cleared. */
export const HostClearBody = Type.Object(
  {
    key,
    ip: Type.Optional(ip),
    try: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Not together with `ip`' })),
  },
  strict,
);
export type HostClearBody = Static<typeof HostClearBody>;
