// Checks the services' own reports on their admin ports.

import { reachableHost } from '@tollgate/shared/config';
import type { Answer } from '../answer.js';
import { exchange } from '../exchange.js';
import { type Finding, good, problem, warning } from '../report.js';

/** Responses to `GET /health/ready`, by service. */
type ReadinessFacts = Readonly<Record<string, Answer>>;

const TIMEOUT_MS = 2000;

/**
 * Requests `/health/ready` of both services.
 * @param bind the address that the admin ports are bound to
 * @param ports the admin ports by service
 */
export async function probeReadiness(
  bind: string,
  ports: Readonly<Record<string, number>>,
): Promise<{ readonly readiness: ReadinessFacts; readonly unreachable: readonly string[] }> {
  const readiness: Record<string, Answer> = {};
  const unreachable: string[] = [];
  for (const [service, port] of Object.entries(ports)) {
    const url = `http://${reachableHost(bind)}:${port}/health/ready`;
    const answer = await exchange('GET', url, { timeoutMs: TIMEOUT_MS });
    if (typeof answer.json.checks === 'object') readiness[service] = answer;
    else unreachable.push(service);
  }
  return { readiness, unreachable };
}

/** A problem for a service that is not ready or has a store problem, a warning for one that serves with a failed check. */
export function diagnoseReadiness(facts: ReadinessFacts): Finding[] {
  return Object.entries(facts).flatMap(([service, answer]) => {
    const checks = Object.entries((answer.json.checks ?? {}) as Record<string, unknown>);
    const failed = checks.filter(([, result]) => result === 'failed').map(([name]) => name);
    const unwell = Object.entries(UNWELL).flatMap(([result, describe]) =>
      checks.some(([, given]) => given === result) ? [describe(service)] : [],
    );
    if (answer.status === 200 && failed.length === 0)
      return unwell.length > 0 ? unwell : [good('ready', `${service} is ready.`)];
    const what = failed.length > 0 ? `failed: ${failed.join(', ')}` : String(answer.json.status);
    const advice = 'See its log for "not ready" and "the store cannot be used".';
    const finding =
      answer.status === 200
        ? warning('degraded', `${service} serves in a degraded state (${what}).`, advice)
        : problem('not_ready', `${service} is not ready (${what}).`, advice);
    return [finding, ...unwell];
  });
}

/** Possible problems of a store that serves. */
const UNWELL: Readonly<Record<string, (service: string) => Finding>> = {
  full: (service) =>
    problem(
      'store_full',
      `A store of ${service} is full: it rejects new challenges, and the first session of a user.`,
      'Raise its maxmemory, and use a separate instance for challenges.',
    ),
  clock: (service) =>
    problem(
      'service_clock',
      `The clocks of ${service} and its store differ by more than 2 s.`,
      'Synchronize both machines by NTP: tokens are issued by one clock and verified by the other.',
    ),
};
