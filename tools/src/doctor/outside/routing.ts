// Checks that the gateway routes only to serving processes, and routes browsers' key renewals to the service.

import { type Answer, describe } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem } from '../report.js';

/** A response, and this machine's clock before and after it, in milliseconds since 1970. */
export interface TimedAnswer extends Answer {
  readonly sentMs: number;
  readonly arrivedMs: number;
}

/** Responses to many equal requests, by service. */
export type RoutingFacts = Readonly<Record<string, readonly TimedAnswer[]>>;

/** With round robin, each of up to four processes gets three requests. */
const TIMES = 12;
const TIMEOUT_MS = 5000;
/** Gateway statuses without a reachable process. */
const UNREACHED = new Set([0, 502, 503, 504]);

/** Requests paths for which the services return 404, without a store and without counting. */
export async function probeRouting(client: PublicClient): Promise<RoutingFacts> {
  const repeat = async (path: string) => {
    const answers: TimedAnswer[] = [];
    for (let times = 0; times < TIMES; times++) {
      const sentMs = Date.now();
      const answer = await client.send('GET', path, { timeoutMs: TIMEOUT_MS });
      answers.push({ ...answer, sentMs, arrivedMs: Date.now() });
    }
    return answers;
  };
  const [session, challenge] = await Promise.all([
    repeat('/verify/none'),
    repeat(`/${client.challengePrefix}/none`),
  ]);
  return { 'session-service': session, 'challenge-service': challenge };
}

/** A problem if only some requests reach a service. Another check reports it if none does. */
export function diagnoseRouting(facts: RoutingFacts): Finding[] {
  const found = Object.entries(facts).flatMap(([service, answers]) => {
    const lost = answers.filter(({ status }) => UNREACHED.has(status));
    const [first] = lost;
    if (first === undefined || lost.length === answers.length) return [];
    return [
      problem(
        'requests_lost',
        `${lost.length} of ${answers.length} requests did not reach ${service}; response: ${describe(first)}.`,
        'The gateway routes to a process that does not serve. Let it check /health/serving of each process, and retry requests that no process has received, as in deploy/gateway.',
      ),
    ];
  });
  return found.length > 0 ? found : [good('routing', 'Each of many requests reaches the services.')];
}

/** Sends a key renewal for an ended session, like a browser. It costs the service nothing. */
export function probeBinding(client: PublicClient): Promise<Answer> {
  return client.send('POST', '/refresh/renew', {
    headers: { 'sec-secure-session-id': 'doctor' },
    timeoutMs: TIMEOUT_MS,
  });
}

/** A problem unless the service reports an ended session, or device binding is off. */
export function diagnoseBinding(answer: Answer): Finding[] {
  if (answer.status === 200 && answer.json.continue === false)
    return [good('binding', 'Browsers can register and renew the keys of their sessions.')];
  // A gateway's own response has no language.
  if (answer.status === 404 && answer.headers['content-language'] !== undefined)
    return [good('binding', 'Sessions are not bound to devices: REFRESH_BINDING is off.')];
  return [
    problem(
      'binding',
      `Key renewals (POST /refresh/renew) do not reach the service; response: ${describe(answer)}. A browser then drops its key, and its user has to log in again.`,
      'Route everything below /refresh/ to session-service. The gateway itself may only return 503 there: no 401, 403, 404, 429 and no redirect.',
    ),
  ];
}
