// Checks that both services respond at the public address.

import { type Answer, codeOf, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface ReachFacts {
  readonly publicUrl: string;
  readonly challengePrefix: string;
  /** `GET {prefix}/pow`. */
  readonly work: Answer;
  /** This machine's clock when `work` arrived, in milliseconds since 1970. */
  readonly hereMs: number;
  /** `POST /refresh` without a cookie. */
  readonly refresh: Answer;
}

/** Requests one route of each service. */
export async function probeReach(client: PublicClient): Promise<ReachFacts> {
  const { publicUrl, challengePrefix } = client;
  const work = await client.issueWork();
  const hereMs = Date.now();
  return { publicUrl, challengePrefix, work, hereMs, refresh: await client.send('POST', '/refresh') };
}

/** Whether both services responded, as the other checks require. */
export function isReached({ work, refresh }: ReachFacts): boolean {
  return (
    work.status === 200 &&
    textOf(work, 'salt') !== '' &&
    codeOf(refresh) !== undefined &&
    refresh.status < 404
  );
}

/** Distinguishes a wrong name or certificate, a rate limit, a service that is down, and wrong routes. */
export function diagnoseReach(facts: ReachFacts): Finding[] {
  const { publicUrl, challengePrefix, work, refresh } = facts;
  if (isReached(facts)) return [good('reach', `Both services respond at ${publicUrl}.`)];
  if (work.status === 0 || refresh.status === 0) {
    const reason = work.status === 0 ? work.text : refresh.text;
    return [
      problem(
        'unreachable',
        `${publicUrl} does not respond: ${reason}.`,
        'Correct the name, address, port or certificate; the gateway must listen there.',
      ),
    ];
  }
  if (work.status === 429 || refresh.status === 429) {
    return [
      warning(
        'limited',
        'This address is rate limited: a service returns 429.',
        'Wait a minute and start the doctor again.',
      ),
    ];
  }
  const failed = [work, refresh].find(({ status }) => status >= 500);
  if (failed !== undefined) {
    return [
      problem(
        'service_away',
        `A service or its store is unavailable; response: ${describe(failed)}.`,
        "Check /health/ready on each service's admin port, and the gateway log.",
      ),
    ];
  }
  const path = new URL(publicUrl).pathname.replace(/\/+$/, '');
  if (refresh.status === 404 && work.status === 404 && path !== '') {
    return [
      problem(
        'path_not_stripped',
        `Both services return 404 below the path ${path}.`,
        `Let the gateway strip ${path} before it forwards: the services serve from the root.`,
      ),
    ];
  }
  const found: Finding[] = [];
  if (work.status !== 200 || textOf(work, 'salt') === '') {
    found.push(
      problem(
        'challenge_prefix',
        `No challenges at /${challengePrefix}/pow; response: ${describe(work)}.`,
        'Route the path of CAPTCHA_ROUTES_PREFIX to the challenge service, or set the path with --prefix.',
      ),
    );
  }
  if (codeOf(refresh) === undefined || refresh.status >= 404) {
    found.push(
      problem(
        'session_routes',
        `POST /refresh does not reach the session service; response: ${describe(refresh)}.`,
        'Route /login, /refresh, /logout, /reauthenticate, /password, /sessions, /profile, /verify and /.well-known/jwks.json, with every method, to the session service.',
      ),
    );
  }
  return found;
}
