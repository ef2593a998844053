// The variables of device binding: whether sessions are bound to a key of their device, and how often browsers renew.

import { Type } from '@sinclair/typebox';

/** How sessions are bound to the device that signed in. */
export const BindingVariables = {
  REFRESH_BINDING: Type.Union([Type.Literal('off'), Type.Literal('offer'), Type.Literal('require')], {
    default: 'offer',
    description:
      'Whether a session is bound to a key of its device: `offer` binds those of clients that can, `require` refuses refreshes of the others, `off` ignores the keys of all sessions',
  }),
  BOUND_COOKIE_TTL: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: 86_400,
    description:
      'Seconds that the cookie of a session bound by its browser lives before the browser signs anew; at 120 or less it signs at every refresh',
  }),
};
