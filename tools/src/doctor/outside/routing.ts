// Checks that the gateway sends requests only to processes that serve, and those of browsers for their keys to the service.

import { type Answer, describe } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem } from '../report.js';

/** An answer, and this machine's clock around it, in milliseconds since 1970. */
export interface TimedAnswer extends Answer {
  readonly sentMs: number;
  readonly arrivedMs: number;
}

/** Answers to the same request, many times, by service. */
export type RoutingFacts = Readonly<Record<string, readonly TimedAnswer[]>>;

/** A gateway that takes turns asks each of up to four processes three times. */
const TIMES = 12;
const TIMEOUT_MS = 5000;
/** What a gateway answers by itself while it reaches no process. */
const UNREACHED = new Set([0, 502, 503, 504]);

/** Requests addresses that the services answer with 404, without a store and without counting. */
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

/** A problem for a service that some requests reach and others do not. That none does is the finding of another check. */
export function diagnoseRouting(facts: RoutingFacts): Finding[] {
  const found = Object.entries(facts).flatMap(([service, answers]) => {
    const lost = answers.filter(({ status }) => UNREACHED.has(status));
    const [first] = lost;
    if (first === undefined || lost.length === answers.length) return [];
    return [
      problem(
        'requests_lost',
        `${lost.length} of ${answers.length} requests did not reach ${service}: the answer is ${describe(first)}.`,
        'The gateway sends requests to a process that does not serve. Let it ask each for /health/serving, and repeat what no process has received, as the files in deploy/gateway do.',
      ),
    ];
  });
  return found.length > 0 ? found : [good('routing', 'Each of many requests reaches the services.')];
}

/** Asks for a renewal as a browser does whose session is gone. It costs the service nothing. */
export function probeBinding(client: PublicClient): Promise<Answer> {
  return client.send('POST', '/refresh/renew', {
    headers: { 'sec-secure-session-id': 'doctor' },
    timeoutMs: TIMEOUT_MS,
  });
}

/** A problem unless the service tells the browser that its session is over, or has the binding switched off. */
export function diagnoseBinding(answer: Answer): Finding[] {
  if (answer.status === 200 && answer.json.continue === false)
    return [good('binding', 'Browsers can register and renew the keys of their sessions.')];
  // A gateway's own answer has no language.
  if (answer.status === 404 && answer.headers['content-language'] !== undefined)
    return [good('binding', 'Sessions are not bound to devices: REFRESH_BINDING is off.')];
  return [
    problem(
      'binding',
      `Renewals of the keys of browsers (POST /refresh/renew) are not answered by the service, but with ${describe(answer)}: a browser then drops its key, and its user has to sign in again.`,
      'Let the gateway send everything below /refresh/ to session-service, and answer nothing there by itself but 503: no 401, 403, 404, 429 and no redirect.',
    ),
  ];
}
