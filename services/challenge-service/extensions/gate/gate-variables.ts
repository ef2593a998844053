// The variables of the gate.

import { Type } from '@sinclair/typebox';

/** The gated sites, and the gate's limit. */
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
