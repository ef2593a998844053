// Doctor behind gateways with one fault each.

import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import {
  complaints,
  type ExaminedSystem,
  sharedExaminedSystem,
  startExaminedSystem,
} from './examined-system.js';
import type { Fault, Passing, Returning } from './front.js';

const html = (status: number): Returning => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>gateway</h1>'),
});
const without = (...names: string[]): Fault => ({
  returning: ({ headers }) => {
    for (const name of names) delete headers[name];
  },
});
const refuse = (isMeant: (passing: Passing) => boolean, status: number): Fault => ({
  refuse: (passing) => (isMeant(passing) ? html(status) : undefined),
});
const withCookies = (change: (cookie: string) => string): Fault => ({
  returning: ({ headers }) => {
    const cookies = headers['set-cookie'] as string[] | undefined;
    if (cookies !== undefined) headers['set-cookie'] = cookies.map(change);
  },
});
const is = (method: string, path: string) => (passing: Passing) =>
  passing.method === method && passing.url === path;

const problem = (check: string, message: string) => ({ check, severity: 'problem', message });
const warning = (check: string, message: string) => ({ check, severity: 'warning', message });

/** Each fault, and all expected findings. */
async function eachFault(
  t: Test,
  examined: ExaminedSystem,
  faults: Readonly<Record<string, readonly [Fault, readonly object[]]>>,
): Promise<void> {
  for (const [name, [fault, expected]] of Object.entries(faults)) {
    await t.test(name, async (t) => {
      examined.front.breakWith(fault);
      const found = complaints(await examined.examine());
      t.match(found, expected);
      t.equal(found.length, expected.length);
    });
  }
  examined.front.breakWith({});
  await t.test('the same system behind a correct gateway is healthy', async (t) => {
    t.strictSame(complaints(await examined.examine()), []);
  });
}

t.test('cookies', async (t) => {
  const examined = await sharedExaminedSystem();
  await eachFault(t, examined, {
    'a rewritten cookie path': [
      withCookies((cookie) => cookie.replace('Path=/refresh', 'Path=/')),
      [
        problem(
          'cookie_path',
          'The path of the refresh cookie is /; it must be /refresh, where browsers refresh.',
        ),
      ],
    ],
    'a removed cookie path': [
      withCookies((cookie) => cookie.replace('; Path=/refresh', '')),
      [problem('cookie_path', 'The path of the refresh cookie is gone; it must be /refresh.')],
    ],
    'removed attributes': [
      withCookies((cookie) => cookie.replace(/; (HttpOnly|SameSite=Strict|Max-Age=\d\d+)/g, '')),
      [
        problem('cookie_attributes', 'The refresh cookie has lost HttpOnly.'),
        problem('cookie_same_site', 'The refresh cookie has no SameSite: other sites can send it.'),
        warning('cookie_max_age', 'The refresh cookie has lost Max-Age: it ends with the browser.'),
      ],
    ],
    'SameSite=None': [
      withCookies((cookie) => cookie.replace('SameSite=Strict', 'SameSite=None')),
      [problem('cookie_same_site', 'The refresh cookie has SameSite=none: other sites can send it.')],
    ],
    'an added Domain': [
      withCookies((cookie) => `${cookie}; Domain=localhost`),
      [
        problem(
          'cookie_domain',
          'The refresh cookie has the Domain localhost: every host below it gets the cookie.',
        ),
      ],
    ],
    'a renamed cookie': [
      withCookies((cookie) => `app_${cookie}`),
      [
        problem(
          'cookie_missing',
          'The login sets no cookie named refreshToken or __Secure-refreshToken or __Host-refreshToken, but app_refreshToken.',
        ),
      ],
    ],
    'a cookie without its name': [
      withCookies((cookie) => cookie.replace(/^[^=]*/, '')),
      [
        problem(
          'cookie_missing',
          'The login sets no cookie named refreshToken or __Secure-refreshToken or __Host-refreshToken, but one without a name.',
        ),
      ],
    ],
    'no cookies at all': [without('set-cookie'), [problem('cookie_missing', 'The login sets no cookie.')]],
    'no cookie with the logout': [
      {
        returning: ({ headers }, { url }) => {
          if (url === '/logout') delete headers['set-cookie'];
        },
      },
      [problem('cookie_not_cleared', 'The logout does not clear the cookie that the login set.')],
    ],
  });
});

t.test('sessions', async (t) => {
  const examined = await sharedExaminedSystem();
  const kept = new Map<string, Returning>();
  await eachFault(t, examined, {
    'Authorization is dropped': [
      {
        passing: ({ headers }) => {
          delete headers.authorization;
        },
      },
      [
        problem('token_refused', 'A new access token is rejected; response: 401 (token_invalid).'),
        problem('token_refused', 'The access token of a refresh is rejected; response: 401 (token_invalid).'),
        problem('logout_refused', 'POST /logout is rejected; response: 401 (token_invalid).'),
      ],
    ],
    'DELETE does not get through': [
      refuse(({ method }) => method === 'DELETE', 405),
      [problem('delete_refused', 'DELETE /refresh does not arrive; response: 405.')],
    ],
    'no request that ends a session gets through': [
      refuse(({ method, url }) => method === 'DELETE' || url === '/logout', 403),
      [
        problem('logout_refused', 'POST /logout is rejected; response: 403.'),
        problem('delete_refused', 'DELETE /refresh does not arrive; response: 403.'),
        problem('session_left', "The doctor's session could not be ended."),
      ],
    ],
    'neither Authorization nor Cookie gets through': [
      {
        passing: ({ headers }) => {
          delete headers.authorization;
          delete headers.cookie;
        },
      },
      [
        problem('token_refused', 'A new access token is rejected'),
        problem('refresh_refused', "A refresh with the login's cookie is rejected"),
        problem('logout_refused', 'POST /logout is rejected; response: 401 (token_invalid).'),
        problem('session_left', "The doctor's session could not be ended."),
      ],
    ],
    'protected responses are cached': [
      {
        refuse: ({ url, headers }) =>
          url === '/profile' ? kept.get(String(headers.authorization)) : undefined,
        returning: (answer, { url, headers }) => {
          if (url === '/profile') kept.set(String(headers.authorization), answer);
        },
      },
      [problem('logout_not_felt', 'The access token is still accepted after the logout.')],
    ],
  });
});

t.test('addresses', async (t) => {
  const examined = await sharedExaminedSystem();
  let requests = 0;
  await eachFault(t, examined, {
    'X-Forwarded-For is appended to': [
      {
        passing: (passing, came) => {
          const claimed = came['x-forwarded-for'];
          if (claimed !== undefined) passing.headers['x-forwarded-for'] = `${claimed}, ${passing.from}`;
        },
      },
      [
        problem(
          'address_claimed',
          'A forged X-Forwarded-For was accepted: a client can claim any address and escape every limit.',
        ),
      ],
    ],
    'X-Forwarded-For is not sent': [
      {
        passing: ({ headers }) => {
          delete headers['x-forwarded-for'];
        },
      },
      [
        problem(
          'addresses_collapsed',
          'Requests from different addresses count as one: all clients share every limit and price.',
        ),
      ],
    ],
    'each request comes from another proxy': [
      {
        passing: ({ headers }) => {
          headers['x-forwarded-for'] = `192.0.2.${requests++ % 250}`;
        },
      },
      [warning('address_varies', 'This client counts as several addresses.')],
    ],
  });
});

t.test('answers', async (t) => {
  const examined = await sharedExaminedSystem();
  const kept = new Map<string, Returning>();
  await eachFault(t, examined, {
    'challenges are cached': [
      {
        refuse: ({ url }) => kept.get(url),
        returning: (answer, { method, url }) => {
          if (method === 'GET' && url === '/api/captcha') kept.set(url, answer);
        },
      },
      [problem('answers_cached', 'Two requests got the same challenge: a proxy caches responses.')],
    ],
    'no-store is removed': [
      without('cache-control'),
      [
        problem(
          'no_store_missing',
          'Cache-Control: no-store is missing from GET /api/captcha/pow, POST /refresh, POST /login, GET /profile, the image.',
        ),
      ],
    ],
    'responses are compressed': [
      {
        returning: (answer, { url }) => {
          if (url !== '/login') return;
          answer.body = gzipSync(answer.body);
          answer.headers['content-encoding'] = 'gzip';
          answer.headers['content-length'] = answer.body.length;
        },
      },
      [warning('compressed', 'The gateway compresses POST /login.')],
    ],
    'security headers are removed': [
      without('x-content-type-options'),
      [
        warning(
          'security_headers_missing',
          'The security headers are missing from GET /api/captcha/pow, POST /refresh, POST /login, GET /profile, the image.',
        ),
      ],
    ],
    'Date is shifted': [
      {
        returning: ({ headers }) => {
          headers.date = new Date(Date.parse(String(headers.date)) + 60_000).toUTCString();
        },
      },
      [
        {
          check: 'clocks_apart',
          severity: 'problem',
          message: /^The clocks of challenge-service and its store/,
        },
        {
          check: 'clocks_apart',
          severity: 'problem',
          message: /^The clocks of session-service and its store/,
        },
        {
          check: 'clock_here',
          severity: 'warning',
          message: /^The clocks of the services and this machine/,
        },
      ],
    ],
  });
});

t.test('requests', async (t) => {
  const examined = await sharedExaminedSystem();
  await eachFault(t, examined, {
    'Origin is dropped': [
      {
        passing: ({ headers }) => {
          delete headers.origin;
        },
      },
      [
        problem(
          'origin_dropped',
          'A request from a page of another site was not rejected; response: 401 (token_invalid).',
        ),
      ],
    ],
    'Sec-Fetch-Site is dropped': [
      {
        passing: ({ headers }) => {
          delete headers['sec-fetch-site'];
        },
      },
      [
        warning(
          'fetch_site_dropped',
          'A cross-site request without Origin was not rejected; response: 401 (token_invalid).',
        ),
      ],
    ],
    'bodies over 4 KiB are rejected': [
      refuse(({ headers }) => Number(headers['content-length']) > 4096, 413),
      [problem('body_refused', 'A body of 8 KiB does not reach the session service; response: 413.')],
    ],
    'bodies over 16 KiB are swallowed': [
      refuse(({ headers }) => Number(headers['content-length']) > 16_384, 400),
      [warning('body_unlimited', 'A body of 20 KiB is not rejected with 413; response: 400.')],
    ],
    'headers over 2 KiB are rejected': [
      refuse(({ headers }) => String(headers.authorization).length > 2048, 431),
      [problem('header_refused', 'A header of 4 KiB does not reach the session service; response: 431.')],
    ],
  });
});

t.test('images', async (t) => {
  const examined = await sharedExaminedSystem();
  await eachFault(t, examined, {
    'image challenges are not routed': [
      refuse(is('GET', '/api/captcha'), 404),
      [problem('image_refused', 'No image challenge is issued; response: 404.')],
    ],
    'PNGs are not routed': [
      refuse(({ url }) => url.endsWith('.png'), 404),
      [problem('image_missing', 'The image of a challenge does not arrive; response: 404.')],
    ],
    'PNG requests get a page': [
      refuse(({ url }) => url.endsWith('.png'), 200),
      [problem('image_missing', 'The image of a challenge does not arrive; response: no PNG.')],
    ],
  });
});

t.test('reach', async (t) => {
  const examined = await sharedExaminedSystem();
  const asked = new Map<string, number>();
  /** Whether a path was requested this often, or a multiple of it. */
  const isNth = (times: number, url: string) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    return asked.get(url)! % times === 0;
  };
  await eachFault(t, examined, {
    'the challenges are not routed': [
      refuse(({ url }) => url.startsWith('/api/'), 404),
      [problem('challenge_prefix', 'No challenges at /api/captcha/pow; response: 404.')],
    ],
    'the session routes are not routed': [
      refuse(is('POST', '/refresh'), 404),
      [problem('session_routes', 'POST /refresh does not reach the session service; response: 404.')],
    ],
    'a service is unavailable': [
      refuse(is('POST', '/refresh'), 502),
      [problem('service_away', 'A service or its store is unavailable; response: 502.')],
    ],
    'the gateway sends every third request to a stopped process': [
      refuse(({ url }) => url.endsWith('/none') && isNth(3, url), 502),
      [
        problem('requests_lost', '4 of 12 requests did not reach session-service; response: 502.'),
        problem('requests_lost', '4 of 12 requests did not reach challenge-service; response: 502.'),
      ],
    ],
    'and doctor meets it first': [
      refuse(
        (passing) =>
          is('POST', '/refresh')(passing) || (passing.url === '/verify/none' && isNth(2, passing.url)),
        503,
      ),
      [
        problem('service_away', 'A service or its store is unavailable; response: 503.'),
        problem('requests_lost', '6 of 12 requests did not reach session-service; response: 503.'),
      ],
    ],
    'the gateway limits requests': [
      refuse(is('POST', '/refresh'), 429),
      [warning('limited', 'This address is rate limited: a service returns 429.')],
    ],
  });
  await t.test('a prefix other than the requested one', async (t) => {
    t.strictSame(complaints(await examined.examine({ challengePrefix: 'challenges' })), [
      problem('challenge_prefix', 'No challenges at /challenges/pow; response: 404 (not_found).'),
    ]);
  });
  await t.test('nobody listens', async (t) => {
    const publicUrl = 'http://127.0.0.1:1';
    t.match(await examined.examine({ publicUrl }), {
      findings: [
        {
          check: 'unreachable',
          severity: 'problem',
          message: /^http:\/\/127\.0\.0\.1:1 does not respond: .*ECONNREFUSED/,
        },
      ],
      skipped: { length: 2 },
    });
  });
});

t.test('a public address with a path', async (t) => {
  const examined = await startExaminedSystem(t, { path: '/auth' });
  examined.front.breakWith({
    passing: (passing) => {
      passing.url = passing.url.replace(/^\/auth/, '');
    },
  });
  await t.test('stripped, it is healthy', async (t) => {
    t.strictSame(complaints(await examined.examine()), []);
  });
  examined.front.breakWith({});
  await t.test('not stripped', async (t) => {
    t.strictSame(complaints(await examined.examine()), [
      problem('path_not_stripped', 'Both services return 404 below the path /auth.'),
    ]);
  });
});

t.test('routed admin ports', async (t) => {
  const environment = {
    SESSION_API_KEY: 'the-key-of-the-other-services-0123456789',
    HOST_API_KEY: 'the-key-of-the-hosts-of-this-test-0123456789',
  };
  const examined = await startExaminedSystem(t, { environment });
  await eachFault(t, examined, {
    'of the session service': [
      {
        route: (url, ports) => {
          if (url.startsWith('/api/captcha')) return ports.challenge;
          return /^\/(metrics|health|introspect)/.test(url) ? ports.sessionAdmin : ports.session;
        },
      },
      [
        problem(
          'admin_routed',
          'The gateway lets outsiders reach an admin port: GET /metrics, GET /health/ready, POST /introspect.',
        ),
      ],
    ],
    'of the challenge service': [
      {
        route: (url, ports) => {
          if (url.startsWith('/api/captcha')) return ports.challenge;
          return url.startsWith('/host') ? ports.challengeAdmin : ports.session;
        },
      },
      [problem('admin_routed', 'The gateway lets outsiders reach an admin port: POST /host/verify.')],
    ],
  });
});
