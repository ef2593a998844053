// Generates the variables that the Helm chart checks from the code.

import { KindGuard, type TObject, type TSchema } from '@sinclair/typebox';
import { environmentWith } from '@tollgate/challenge-service/config.js';
import { loadAllExtensions } from '@tollgate/challenge-service/extensions.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { expectationOf } from '@tollgate/shared/schemas';

const challengeEnvironment = environmentWith(await loadAllExtensions());

/** Set by the chart's own values, or fixed by the pod. */
const SET_BY_CHART = [
  ...['NODE_ENV', 'BIND', 'ADMIN_BIND', 'PUBLIC_URL', 'TRUST_PROXY', 'DRAIN_SECONDS'],
  ...['SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT'],
  ...['DATA_DIR', 'ALLOW_EMBEDDED'],
];

/** Returns the variables of each service that the chart accepts, with their value format. */
export function chartVariables(): object {
  return {
    session: configVariablesOf(SessionEnvironment),
    challenge: configVariablesOf(challengeEnvironment),
  };
}

/** The chart's check of a value: pattern, range, and their description. */
interface ValueForm {
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly expected: string;
}

/** The variables that an operator sets as values, without secrets and the chart's own. */
function configVariablesOf({ properties }: TObject): Record<string, ValueForm> {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name, { secret }]) => secret !== true && !SET_BY_CHART.includes(name))
      .map(([name, schema]) => [name, valueFormOf(schema)]),
  );
}

function valueFormOf(schema: TSchema): ValueForm {
  const pattern = patternOf(schema);
  const { minimum, maximum } = schema;
  return {
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    expected: expectationOf(schema),
  };
}

function patternOf(schema: TSchema): string | undefined {
  if (KindGuard.IsBoolean(schema)) return '^(true|false)$';
  if (KindGuard.IsInteger(schema)) return '^-?[0-9]{1,15}$';
  if (KindGuard.IsNumber(schema)) return '^-?[0-9]{1,15}([.][0-9]{1,15})?$';
  if (KindGuard.IsUnion(schema)) return `^(${schema.anyOf.map((item) => item.const).join('|')})$`;
  // Go's regular expressions have no look-ahead. The service checks such a value.
  return schema.pattern?.includes('(?!') ? undefined : schema.pattern;
}
