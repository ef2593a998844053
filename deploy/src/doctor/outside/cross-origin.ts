// Whether the application's pages may call from another origin, and read what they need.

import { isSameSite } from '@tollgate/shared/config/sites.js';
import { type Answer, codeOf, describe, lists } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

export interface CrossOriginFacts {
  readonly publicUrl: string;
  /** The origin of the application's pages, which is another than that of the public address. */
  readonly pageOrigin: string;
  /** Preflights by the request that they ask about. */
  readonly preflights: Readonly<Record<string, Answer>>;
  /** Answers to requests from a page of that origin. */
  readonly answers: Readonly<Record<string, Answer>>;
}

const METHODS = ['GET', 'POST', 'DELETE'];
const REQUEST_HEADERS = ['authorization', 'content-type'];
const READABLE = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
const PASS_ON =
  'Let the gateway pass OPTIONS requests and every Access-Control-* header on, and add none itself.';

/** CORS (decisions 3.5), and whether the cookie goes with such requests at all. */
export function diagnoseCrossOrigin(facts: CrossOriginFacts): Finding[] {
  // A service that refuses the origin allows it nothing: what is missing then is no fault of the gateway.
  const isRefused = Object.values(facts.answers).some((answer) => codeOf(answer) === 'origin_refused');
  if (isRefused) return diagnoseSites(facts);
  const found = [...diagnoseSites(facts), ...diagnosePreflights(facts), ...diagnoseAnswers(facts)];
  return found.length > 0
    ? found
    : [good('cross_origin', `Pages of ${facts.pageOrigin} may call, and can read the answers.`)];
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
    const wrong = isSuccess(answer) ? grantMistake(answer, pageOrigin) : `the answer is ${describe(answer)}`;
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
          'Let the gateway pass Vary on: a cache may give one origin the answer for another.',
        ),
      );
    }
    return found;
  });
}

/** What keeps a browser from using an answer that came with credentials. */
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
