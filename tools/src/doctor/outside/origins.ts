// Checks that the services reject pages of other sites and accept those of the application.

import { type Answer, codeOf, describe } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

interface OriginFacts {
  /** The origin of the application's pages. */
  readonly pageOrigin: string;
  /** `POST /refresh` without a cookie, from a page of that origin. */
  readonly own: Answer;
  /** The same from a page of another site. */
  readonly foreign: Answer;
  /** The same without `Origin`, with `Sec-Fetch-Site: cross-site`. */
  readonly crossSite: Answer;
}

/** A name that belongs to nobody (RFC 2606). */
const FOREIGN = 'https://foreign.invalid';

/** Refreshes without a cookie, as pages of the application and of another site. */
export async function probeOrigins(client: PublicClient): Promise<OriginFacts> {
  const { pageOrigin } = client;
  const refresh = (headers: Record<string, string>) => client.send('POST', '/refresh', { headers });
  return {
    pageOrigin,
    own: await refresh({ origin: pageOrigin }),
    foreign: await refresh({ origin: FOREIGN }),
    crossSite: await refresh({ 'sec-fetch-site': 'cross-site' }),
  };
}

/** Requires that `Origin` and `Sec-Fetch-Site` arrive, and that the service knows the origin of the pages. */
export function diagnoseOrigins({ pageOrigin, own, foreign, crossSite }: OriginFacts): Finding[] {
  const found: Finding[] = [];
  if (codeOf(own) === 'origin_refused') {
    found.push(
      problem(
        'own_origin_refused',
        `The session service rejects pages of ${pageOrigin}.`,
        'Set PUBLIC_URL of both services to the public address, and CORS_ORIGIN to the origin of the pages.',
      ),
    );
  }
  if (foreign.status !== 403) {
    found.push(
      problem(
        'origin_dropped',
        `A request from a page of another site was not rejected; response: ${describe(foreign)}.`,
        'Let the gateway pass the header Origin on unchanged: without it other sites can act for your users.',
      ),
    );
  }
  if (crossSite.status !== 403) {
    found.push(
      warning(
        'fetch_site_dropped',
        `A cross-site request without Origin was not rejected; response: ${describe(crossSite)}.`,
        'Let the gateway pass the header Sec-Fetch-Site on unchanged.',
      ),
    );
  }
  return found.length > 0 ? found : [good('origins', 'Pages of other sites are rejected.')];
}
