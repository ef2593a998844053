// The bodies of the host API (decisions 2.3).

import { type Static, Type } from '@sinclair/typebox';
import type { CaptchaOptions } from './captcha-options.js';
import { challengeFields } from './challenge-fields.js';

/** Longest account key of a host, in characters. */
export const MAX_KEY_CHARACTERS = 512;

const key = Type.String({
  minLength: 1,
  maxLength: MAX_KEY_CHARACTERS,
  description: 'The account that is tried, in a spelling of the host; counted under the name of the host',
});
const ip = Type.String({ minLength: 1, maxLength: 64, description: 'IP address of the client' });
const strict = { additionalProperties: false };

const checked = {
  key: Type.Optional(key),
  ip: Type.Optional(ip),
  idempotency_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Names this submission: sent again, its challenges are judged as before. A new one for each submission, never chosen by a client',
    }),
  ),
};

/** Body of `POST /host/verify` without the fields of the challenges, whose names are configurable. */
export const HostVerifyBody = Type.Object(checked, strict);
export type HostVerifyBody = Static<typeof HostVerifyBody>;

/** The same with the fields of the challenges, under their configured names. They are judged, not validated. */
export function hostVerifyBody(options: CaptchaOptions) {
  return Type.Object({ ...challengeFields(options), ...checked }, strict);
}

const captcha_required = Type.Boolean({ description: 'The next attempt must include an image answer' });
const pow_scope = Type.Optional(
  Type.String({ description: 'Ticket for work priced by the failures of this account; for `?scope=`' }),
);
const captcha_alternatives = Type.Optional(
  Type.Array(Type.String(), { description: 'Presets that may stand in for the demanded image' }),
);

/** Answer to `POST /host/verify`. */
export const HostVerdict = Type.Object(
  {
    success: Type.Boolean(),
    code: Type.Optional(Type.String({ description: 'Why it failed, as a guarded route would say' })),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Per field what is wrong with it, for people',
      }),
    ),
    captcha_required,
    pow_scope,
    captcha_alternatives,
  },
  { $id: 'HostVerdict' },
);
export type HostVerdict = Static<typeof HostVerdict>;

/** Body of `POST /host/failures`. */
export const HostFailureBody = Type.Object({ key }, strict);
export type HostFailureBody = Static<typeof HostFailureBody>;

/** Answer to `POST /host/failures`. */
export const HostFailure = Type.Object(
  {
    failures: Type.Integer({
      description: 'Failures remembered of this account, this one included; 100 at most',
    }),
    captcha_required,
    pow_scope,
    captcha_alternatives,
    try: Type.String({ description: 'Names this failure to `DELETE /host/failures`' }),
  },
  { $id: 'HostFailure' },
);
export type HostFailure = Static<typeof HostFailure>;

/** Body of `DELETE /host/failures`: with `try` that one failure is withdrawn, else all are forgotten. */
export const HostClearBody = Type.Object(
  {
    key,
    ip: Type.Optional(ip),
    try: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Not together with `ip`' })),
  },
  strict,
);
export type HostClearBody = Static<typeof HostClearBody>;
