// Whether pages of other sites are refused, and those of our own are not.

import { type Answer, codeOf, describe } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

export interface OriginFacts {
  /** The origin that the application's pages have. */
  readonly pageOrigin: string;
  /** `POST /refresh` without a cookie, from a page of that origin. */
  readonly own: Answer;
  /** The same from a page of another site. */
  readonly foreign: Answer;
  /** The same without `Origin`, with `Sec-Fetch-Site: cross-site`. */
  readonly crossSite: Answer;
}

/** The check of decisions 3.5, through the gateway. */
export function diagnoseOrigins({ pageOrigin, own, foreign, crossSite }: OriginFacts): Finding[] {
  const found: Finding[] = [];
  if (codeOf(own) === 'origin_refused') {
    found.push(
      problem(
        'own_origin_refused',
        `The session service refuses pages of ${pageOrigin}.`,
        'Set PUBLIC_URL of both services to the address that browsers see, and CORS_ORIGIN to the origin of the pages.',
      ),
    );
  }
  if (foreign.status !== 403) {
    found.push(
      problem(
        'origin_dropped',
        `A request from a page of another site was not refused: the answer is ${describe(foreign)}.`,
        'Let the gateway pass the header Origin on as it is: without it other sites can act for your users.',
      ),
    );
  }
  if (crossSite.status !== 403) {
    found.push(
      warning(
        'fetch_site_dropped',
        `A cross-site request without Origin was not refused: the answer is ${describe(crossSite)}.`,
        'Let the gateway pass the header Sec-Fetch-Site on as it is.',
      ),
    );
  }
  return found.length > 0 ? found : [good('origins', 'Pages of other sites are refused.')];
}
