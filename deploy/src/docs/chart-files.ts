// What the Helm chart takes from the code and from the folders beside it: a chart can read its own files alone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TObject } from '@sinclair/typebox';
import { ChallengeEnvironment } from '@tollgate/challenge-service/config.js';
import { SessionEnvironment } from '@tollgate/session-service/config.js';
import { dashboard } from '../dashboard/dashboard.js';
import { projectRoot } from '../launcher/local-environment.js';

/** Set by values of the chart's own, or by what a pod is. */
const SET_BY_CHART = [
  ...['NODE_ENV', 'BIND', 'ADMIN_BIND', 'PUBLIC_URL', 'TRUST_PROXY', 'DRAIN_SECONDS'],
  ...['SESSION_PORT', 'SESSION_ADMIN_PORT', 'CHALLENGE_PORT', 'CHALLENGE_ADMIN_PORT'],
  ...['DATA_DIR', 'ALLOW_EMBEDDED'],
];

/** Returns the files of the chart by name: a text, or an object for JSON. */
export function chartFiles(): Record<string, string | object> {
  const variables = {
    session: configVariablesOf(SessionEnvironment),
    challenge: configVariablesOf(ChallengeEnvironment),
  };
  return {
    'variables.json': variables,
    'tollgate.json': dashboard(),
    'tollgate.rules.yml': readFileSync(join(projectRoot, 'deploy/prometheus/tollgate.rules.yml'), 'utf8'),
  };
}

/** The variables that an operator sets as values: neither secrets nor the chart's own. */
function configVariablesOf({ properties }: TObject): string[] {
  return Object.entries(properties).flatMap(([name, { secret }]) =>
    secret === true || SET_BY_CHART.includes(name) ? [] : [name],
  );
}
