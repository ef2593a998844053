// The variables of device binding: whether sessions are bound to a key of their device, and how often browsers renew.

import { Type } from '@sinclair/typebox';

/** How sessions are bound to the device that signed in. */
export const BindingVariables = {
  REFRESH_BINDING: Type.Union([Type.Literal('off'), Type.Literal('offer'), Type.Literal('require')], {
    default: 'offer',
    description:
      '[Device binding](sessions/device-binding.md): `offer` binds sessions of capable clients, `require` rejects refreshes of others, `off` ignores all keys',
  }),
  BOUND_COOKIE_TTL: Type.Integer({
    default: 600,
    minimum: 1,
    maximum: 86_400,
    description:
      'Lifetime in seconds of a browser-bound cookie before the browser signs again; at 120 or less, at every refresh',
  }),
};
