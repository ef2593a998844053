// Checks transport encryption.

import { isLoopbackHttp } from '@tollgate/shared/config';
import type { Answer } from '../answer.js';
import type { PublicClient } from '../public-client.js';
import { type Finding, good, problem, warning } from '../report.js';

const HTTP_PORT = 80;
const PLAIN_TIMEOUT_MS = 3000;

interface TransportFacts {
  readonly publicUrl: string;
  /** Any response of the services. */
  readonly answer: Answer;
  /** The host's response over plain http; undefined if it was not requested. */
  readonly plain: Answer | undefined;
}

/**
 * Requests plain http beside https. Undefined if https has a non-standard port, because then port 80 is not used.
 */
export async function probePlainHttp(
  { publicUrl, get }: PublicClient,
  port = HTTP_PORT,
): Promise<Answer | undefined> {
  const url = new URL(publicUrl);
  if (url.protocol !== 'https:' || (url.port !== '' && port === HTTP_PORT)) return undefined;
  return get(`http://${url.hostname}:${port}/`, { timeoutMs: PLAIN_TIMEOUT_MS });
}

/** Requires https, a redirect to it from plain http, and HSTS. */
export function diagnoseTransport({ publicUrl, answer, plain }: TransportFacts): Finding[] {
  if (new URL(publicUrl).protocol === 'http:') {
    if (isLoopbackHttp(publicUrl)) return [good('transport', 'Plain http, only within this machine.')];
    return [
      problem(
        'no_https',
        'The public address is plain http: passwords can be intercepted.',
        'Let the gateway serve https, and set PUBLIC_URL to that address.',
      ),
      problem(
        'secure_cookie_on_http',
        'Browsers do not store the Secure refresh cookie from plain http: every reload logs users out.',
        'Serve https; the cookie is set without Secure only for localhost.',
      ),
    ];
  }
  const found = [good('transport', 'The connection is encrypted and its certificate is valid.')];
  if (answer.headers['strict-transport-security'] === undefined) {
    found.push(
      warning(
        'hsts_missing',
        'Strict-Transport-Security is missing from the responses.',
        'Set PUBLIC_URL to the https address, and let the gateway pass the header on.',
      ),
    );
  }
  return plain === undefined ? found : [...found, diagnosePlainHttp(plain)];
}

function diagnosePlainHttp(plain: Answer): Finding {
  if (plain.status === 0) return good('plain_http', 'Plain http gets no response.');
  const redirects =
    plain.status >= 300 && plain.status < 400 && /^https:/i.test(plain.headers.location ?? '');
  if (redirects) return good('plain_http', 'Plain http redirects to https.');
  return warning(
    'plain_http_served',
    `Plain http returns ${plain.status} and does not redirect to https.`,
    'Let the gateway redirect every request on port 80 to https.',
  );
}
