// Doctor with pages of another origin, and wrong names and schemes.

import t, { type Test } from 'tap';
import {
  complaints,
  type ExaminedSystem,
  sharedExaminedSystem,
  startExaminedSystem,
} from './examined-system.js';
import type { Fault, Passing } from './front.js';

const PAGE = 'http://localhost:5173';

const problem = (check: string, message: string) => ({ check, severity: 'problem', message });
const warning = (check: string, message: string) => ({ check, severity: 'warning', message });
const unreadable = (reason: string) => [
  problem('cors_missing', `Pages of ${PAGE} cannot read POST /refresh: ${reason}.`),
  problem('cors_missing', `Pages of ${PAGE} cannot read GET /api/captcha: ${reason}.`),
];
const unsent = (reason: string) =>
  ['DELETE /refresh', 'POST /login', 'GET /api/captcha/pow'].map((request) =>
    problem('preflight', `Browsers will not send ${request} from ${PAGE}: ${reason}.`),
  );
const onAnswers = (change: (headers: Record<string, unknown>, passing: Passing) => void): Fault => ({
  returning: ({ headers }, passing) => change(headers, passing),
});

async function eachFault(
  t: Test,
  examined: ExaminedSystem,
  faults: Readonly<Record<string, readonly [Fault, readonly object[]]>>,
): Promise<void> {
  for (const [name, [fault, expected]] of Object.entries(faults)) {
    await t.test(name, async (t) => {
      examined.front.breakWith(fault);
      t.strictSame(complaints(await examined.examine()), expected);
    });
  }
}

t.test('CORS behind gateways with one fault each', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CORS_ORIGIN: PAGE } });
  await eachFault(t, examined, {
    'nothing wrong': [{}, []],
    'all CORS headers are dropped': [
      onAnswers((headers) => {
        for (const name of Object.keys(headers)) if (name.startsWith('access-control-')) delete headers[name];
      }),
      [
        ...unsent('Access-Control-Allow-Origin is missing'),
        ...unreadable('Access-Control-Allow-Origin is missing'),
      ],
    ],
    'every origin is allowed': [
      onAnswers((headers) => {
        headers['access-control-allow-origin'] = '*';
      }),
      [...unsent('Access-Control-Allow-Origin is *'), ...unreadable('Access-Control-Allow-Origin is *')],
    ],
    'the origin is allowed twice': [
      onAnswers((headers, { method }) => {
        if (method !== 'OPTIONS') headers['access-control-allow-origin'] = [PAGE, PAGE];
      }),
      unreadable(`Access-Control-Allow-Origin is ${PAGE}, ${PAGE}`),
    ],
    'credentials are not allowed': [
      onAnswers((headers) => {
        delete headers['access-control-allow-credentials'];
      }),
      [
        ...unsent('Access-Control-Allow-Credentials is missing'),
        ...unreadable('Access-Control-Allow-Credentials is missing'),
      ],
    ],
    'DELETE and a header are not allowed': [
      onAnswers((headers, { method }) => {
        if (method !== 'OPTIONS') return;
        headers['access-control-allow-methods'] = 'GET, POST';
        headers['access-control-allow-headers'] = 'content-type';
      }),
      unsent('DELETE, authorization are not allowed'),
    ],
    'the gateway itself responds to OPTIONS': [
      {
        refuse: ({ method }) =>
          method === 'OPTIONS' ? { status: 405, headers: {}, body: Buffer.alloc(0) } : undefined,
      },
      unsent('the response is 405'),
    ],
    'nothing is exposed': [
      onAnswers((headers) => {
        delete headers['access-control-expose-headers'];
      }),
      ['POST /refresh', 'GET /api/captcha'].map((request) =>
        problem(
          'cors_exposure',
          `Pages of ${PAGE} cannot read retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset of ${request}.`,
        ),
      ),
    ],
    'Vary is dropped': [
      onAnswers((headers) => {
        delete headers.vary;
      }),
      ['POST /refresh', 'GET /api/captcha'].map((request) =>
        warning('vary_missing', `Vary: Origin is missing from ${request}.`),
      ),
    ],
  });
});

t.test('the cookie is never sent for pages of another site', async (t) => {
  const examined = await startExaminedSystem(t, { environment: { CORS_ORIGIN: 'http://app.example.org' } });
  const sites = problem(
    'same_site',
    `http://app.example.org is another site than ${examined.publicUrl}: browsers do not send the SameSite cookie, so no refresh works.`,
  );
  await eachFault(t, examined, {
    'the images are allowed to them': [{}, [sites]],
    'the images are not': [
      onAnswers((headers) => {
        if (headers['cross-origin-resource-policy']) headers['cross-origin-resource-policy'] = 'same-site';
      }),
      [
        warning(
          'image_policy',
          'Pages of http://app.example.org cannot display the image: Cross-Origin-Resource-Policy is not cross-origin.',
        ),
        sites,
      ],
    ],
  });
});

t.test('services with another public address', async (t) => {
  const examined = await startExaminedSystem(t, {
    serviceEnvironment: {
      'session-service': { PUBLIC_URL: 'http://localhost:1/other' },
      'challenge-service': { PUBLIC_URL: 'http://localhost:2' },
    },
  });
  t.strictSame(complaints(await examined.examine()), [
    problem('image_elsewhere', `The image URL is at http://localhost:2, not below ${examined.publicUrl}.`),
    problem('own_origin_refused', `The session service rejects pages of ${examined.publicUrl}.`),
    problem('login_refused', 'The login is rejected because of its Origin.'),
  ]);
});

t.test('pages of an unlisted origin are one finding, and no gateway fault', async (t) => {
  const { examine } = await sharedExaminedSystem();
  t.strictSame(complaints(await examine({ pageOrigin: PAGE })), [
    problem('own_origin_refused', `The session service rejects pages of ${PAGE}.`),
    problem('login_refused', 'The login is rejected because of its Origin.'),
  ]);
});

t.test(
  'plain http that leaves the machine, and services that can be reached without the gateway',
  async (t) => {
    const examined = await startExaminedSystem(t, {
      host: 'tollgate.example',
      environment: {
        CAPTCHA_TEST_MODE: 'false',
        CAPTCHA_POW_DIFFICULTY: '16',
        CAPTCHA_POW_MAX_DIFFICULTY: '16',
      },
    });
    const { SESSION_PORT, SESSION_ADMIN_PORT, CHALLENGE_PORT, CHALLENGE_ADMIN_PORT } = examined.env;
    const env = { SESSION_PORT, SESSION_ADMIN_PORT, CHALLENGE_PORT, CHALLENGE_ADMIN_PORT };
    const ports = Object.values(env).sort();
    t.strictSame(complaints(await examined.examine({ connect: '127.0.0.1', env })), [
      problem('no_https', 'The public address is plain http: passwords can be intercepted.'),
      problem(
        'secure_cookie_on_http',
        'Browsers do not store the Secure refresh cookie from plain http: every reload logs users out.',
      ),
      warning(
        'ports_open',
        `Services are reachable from here without the gateway, at port ${ports.join(', ')}.`,
      ),
    ]);
  },
);
