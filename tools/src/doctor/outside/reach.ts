// Checks that both services answer at the public address.

import { type Answer, codeOf, describe, textOf } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

export interface ReachFacts {
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

/** Whether both services answered, so that the other checks make sense. */
export function isReached({ work, refresh }: ReachFacts): boolean {
  return (
    work.status === 200 &&
    textOf(work, 'salt') !== '' &&
    codeOf(refresh) !== undefined &&
    refresh.status < 404
  );
}

/** Tells apart a wrong name or certificate, a limit, a service that is down, and paths that are routed wrongly. */
export function diagnoseReach(facts: ReachFacts): Finding[] {
  const { publicUrl, challengePrefix, work, refresh } = facts;
  if (isReached(facts)) return [good('reach', `Both services answer at ${publicUrl}.`)];
  if (work.status === 0 || refresh.status === 0) {
    const reason = work.status === 0 ? work.text : refresh.text;
    return [
      problem(
        'unreachable',
        `${publicUrl} does not answer: ${reason}.`,
        'Mend the name, the address, the port or the certificate; the gateway has to listen there.',
      ),
    ];
  }
  if (work.status === 429 || refresh.status === 429) {
    return [
      warning(
        'limited',
        'This address has asked too often: a service answers 429.',
        'Wait a minute and start the doctor again.',
      ),
    ];
  }
  const failed = [work, refresh].find(({ status }) => status >= 500);
  if (failed !== undefined) {
    return [
      problem(
        'service_away',
        `A service or its store is away: the answer is ${describe(failed)}.`,
        'Look at /health/ready on the admin port of each service, and at the log of the gateway.',
      ),
    ];
  }
  const path = new URL(publicUrl).pathname.replace(/\/+$/, '');
  if (refresh.status === 404 && work.status === 404 && path !== '') {
    return [
      problem(
        'path_not_stripped',
        `Under the path ${path} both services answer 404.`,
        `Let the gateway strip ${path} before it forwards: the services serve from the root.`,
      ),
    ];
  }
  const found: Finding[] = [];
  if (work.status !== 200 || textOf(work, 'salt') === '') {
    found.push(
      problem(
        'challenge_prefix',
        `There are no challenges at /${challengePrefix}/pow: the answer is ${describe(work)}.`,
        'Route the path of CAPTCHA_ROUTES_PREFIX to the challenge service, or name the path with --prefix.',
      ),
    );
  }
  if (codeOf(refresh) === undefined || refresh.status >= 404) {
    found.push(
      problem(
        'session_routes',
        `POST /refresh is not answered by the session service: the answer is ${describe(refresh)}.`,
        'Route /login, /refresh, /logout, /reauthenticate, /password, /sessions, /profile, /verify and /.well-known/jwks.json, with every method, to the session service.',
      ),
    );
  }
  return found;
}
