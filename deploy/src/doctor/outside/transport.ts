// Whether what is sent can be read on the way.

import { isLoopbackHttp } from '@tollgate/shared/config/hosts.js';
import type { Answer } from '../answer.js';
import { type Finding, good, problem, warning } from '../finding.js';

export interface TransportFacts {
  readonly publicUrl: string;
  /** Any answer of the services. */
  readonly answer: Answer;
  /** What the same host answers over plain http; undefined when it was not asked. */
  readonly plain: Answer | undefined;
}

/** HTTPS, the way to it, and that browsers remember it. */
export function diagnoseTransport({ publicUrl, answer, plain }: TransportFacts): Finding[] {
  if (new URL(publicUrl).protocol === 'http:') {
    if (isLoopbackHttp(publicUrl))
      return [good('transport', 'Plain http, which does not leave this machine.')];
    return [
      problem(
        'no_https',
        'The public address is plain http: passwords can be read on the way.',
        'Let the gateway serve https, and set PUBLIC_URL to that address.',
      ),
      problem(
        'secure_cookie_on_http',
        'Browsers do not keep the refresh cookie, which is Secure, from plain http: every reload signs people out.',
        'Serve https; only on this machine itself does the cookie go without Secure.',
      ),
    ];
  }
  const found = [good('transport', 'The connection is encrypted and its certificate is valid.')];
  if (answer.headers['strict-transport-security'] === undefined) {
    found.push(
      warning(
        'hsts_missing',
        'Strict-Transport-Security is missing from the answers.',
        'Set PUBLIC_URL to the https address, and let the gateway pass the header on.',
      ),
    );
  }
  return plain === undefined ? found : [...found, diagnosePlain(plain)];
}

function diagnosePlain(plain: Answer): Finding {
  if (plain.status === 0) return good('plain_http', 'Plain http is not answered.');
  const leadsOn = plain.status >= 300 && plain.status < 400 && /^https:/i.test(plain.headers.location ?? '');
  if (leadsOn) return good('plain_http', 'Plain http leads to https.');
  return warning(
    'plain_http_served',
    `Plain http is answered with ${plain.status} and does not lead to https.`,
    'Let the gateway redirect every request on port 80 to https.',
  );
}
