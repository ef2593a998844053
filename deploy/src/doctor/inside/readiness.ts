// What the services say about themselves on their admin ports.

import type { Answer } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

/** `GET /health/ready` by service; only of those that answered. */
export type ReadinessFacts = Readonly<Record<string, Answer>>;

/** Failed checks. */
export function diagnoseReadiness(facts: ReadinessFacts): Finding[] {
  return Object.entries(facts).map(([service, answer]) => {
    const failed = failedChecks(answer);
    if (answer.status === 200 && failed.length === 0)
      return good('ready', `${service} says that it is ready.`);
    const what = failed.length > 0 ? `failed: ${failed.join(', ')}` : String(answer.json.status);
    const advice = 'Its log says why, in lines with "not ready".';
    return answer.status === 200
      ? warning('degraded', `${service} serves without a part (${what}).`, advice)
      : problem('not_ready', `${service} is not ready (${what}).`, advice);
  });
}

function failedChecks({ json }: Answer): string[] {
  const checks = Object.entries((json.checks ?? {}) as Record<string, unknown>);
  return checks.filter(([, result]) => result !== 'ok').map(([name]) => name);
}
