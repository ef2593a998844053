// The variables of the gate before whole sites.

import { Type } from '@sinclair/typebox';

/** Which sites it stands before, and its limit. */
export const GateVariables = {
  GATE: Type.Optional(
    Type.String({
      description:
        'The sites that the gate stands before, and its rules: the path of a JSON file, or JSON that begins with `{`',
      shownDefault: 'none: its routes answer 404',
    }),
  ),
  RATE_LIMIT_GATE: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Submissions for a pass of the gate, per minute and address',
  }),
};
