// Checks that the application's cross-origin pages may call the services and read the responses.

import { isSameSite } from '@tollgate/shared/same-site';
import { type Answer, codeOf, describe, lists } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface CrossOriginFacts {
  readonly publicUrl: string;
  /** Origin of the application's pages; differs from the public address. */
  readonly pageOrigin: string;
  /** Preflight responses, by request. */
  readonly preflights: Readonly<Record<string, Answer>>;
  /** Responses to requests from a page of that origin. */
  readonly answers: Readonly<Record<string, Answer>>;
}

const METHODS = ['GET', 'POST', 'DELETE'];
const REQUEST_HEADERS = ['authorization', 'content-type'];
const READABLE = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const PASS_ON =
  'Let the gateway pass OPTIONS requests and every Access-Control-* header on, and add none itself.';

/** Sends preflights and plain requests as browsers do from the application's pages. */
export async function probeCrossOrigin(client: PublicClient): Promise<CrossOriginFacts> {
  const { publicUrl, challengePrefix, pageOrigin } = client;
  const work = `/${challengePrefix}/pow`;
  const preflight = (path: string, method: string) =>
    client.send('OPTIONS', path, {
      headers: {
        origin: pageOrigin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  return {
    publicUrl,
    pageOrigin,
    preflights: {
      'DELETE /refresh': await preflight('/refresh', 'DELETE'),
      'POST /login': await preflight('/login', 'POST'),
      [`GET ${work}`]: await preflight(work, 'GET'),
    },
    answers: {
      'POST /refresh': await client.send('POST', '/refresh', { headers: { origin: pageOrigin } }),
      [`GET /${challengePrefix}`]: await client.issueImage({ headers: { origin: pageOrigin } }),
    },
  };
}

/** Requires complete CORS headers, and the same site: otherwise browsers send no cookie. */
export function diagnoseCrossOrigin(facts: CrossOriginFacts): Finding[] {
  // A service that rejects the origin sends no CORS headers, so their absence is not the gateway's fault.
  const isRefused = Object.values(facts.answers).some((answer) => codeOf(answer) === 'origin_refused');
  if (isRefused) return diagnoseSites(facts);
  const found = [...diagnoseSites(facts), ...diagnosePreflights(facts), ...diagnoseAnswers(facts)];
  return found.length > 0
    ? found
    : [good('cross_origin', `Pages of ${facts.pageOrigin} may send requests and read the responses.`)];
}

function diagnoseSites({ publicUrl, pageOrigin }: CrossOriginFacts): Finding[] {
  if (isSameSite(pageOrigin, publicUrl)) return [];
  return [
    problem(
      'same_site',
      `${pageOrigin} is another site than ${publicUrl}: browsers do not send the SameSite cookie, so no refresh works.`,
      'Serve both from one site, such as app.example.com and auth.example.com, over the same scheme.',
    ),
  ];
}

function diagnosePreflights({ preflights, pageOrigin }: CrossOriginFacts): Finding[] {
  return Object.entries(preflights).flatMap(([name, answer]) => {
    const wrong = isSuccess(answer)
      ? grantMistake(answer, pageOrigin)
      : `the response is ${describe(answer)}`;
    const missing = [
      ...METHODS.filter((method) => !lists(answer, 'access-control-allow-methods', method)),
      ...REQUEST_HEADERS.filter((header) => !lists(answer, 'access-control-allow-headers', header)),
    ];
    if (wrong === undefined && missing.length === 0) return [];
    const what = wrong ?? `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not allowed`;
    return [problem('preflight', `Browsers will not send ${name} from ${pageOrigin}: ${what}.`, PASS_ON)];
  });
}

function diagnoseAnswers({ answers, pageOrigin }: CrossOriginFacts): Finding[] {
  return Object.entries(answers).flatMap(([name, answer]) => {
    const wrong = grantMistake(answer, pageOrigin);
    if (wrong !== undefined) {
      return [problem('cors_missing', `Pages of ${pageOrigin} cannot read ${name}: ${wrong}.`, PASS_ON)];
    }
    const found: Finding[] = [];
    const hidden = READABLE.filter((header) => !lists(answer, 'access-control-expose-headers', header));
    if (hidden.length > 0) {
      found.push(
        problem(
          'cors_exposure',
          `Pages of ${pageOrigin} cannot read ${hidden.join(', ')} of ${name}.`,
          PASS_ON,
        ),
      );
    }
    if (!lists(answer, 'vary', 'origin')) {
      found.push(
        warning(
          'vary_missing',
          `Vary: Origin is missing from ${name}.`,
          'Let the gateway pass Vary on: a cache may serve one origin the response for another.',
        ),
      );
    }
    return found;
  });
}

/** The reason why a page may not read a credentialed response; undefined if it may. */
function grantMistake(answer: Answer, origin: string): string | undefined {
  const allowed = answer.headers['access-control-allow-origin'];
  if (allowed === undefined) return 'Access-Control-Allow-Origin is missing';
  if (allowed !== origin) return `Access-Control-Allow-Origin is ${allowed}`;
  if (answer.headers['access-control-allow-credentials'] !== 'true') {
    return 'Access-Control-Allow-Credentials is missing';
  }
  return undefined;
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}
