// The variables of the gate before whole sites.

import { Type } from '@sinclair/typebox';

/** Which sites it stands before, and its limit. */
export const GateVariables = {
  GATE: Type.Optional(
    Type.String({
      description: '[Gated sites](gate.md) and rules: JSON (`{…`), or path of a JSON file',
      shownDefault: 'none: routes return 404',
    }),
  ),
  RATE_LIMIT_GATE: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Gate submissions',
  }),
};
