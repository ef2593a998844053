// Doctor and faults of origins, stores and files.

import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedDirectory } from '@tollgate/session-service/directory/embedded-directory.js';
import { openEmbeddedStore, recordMachine } from '@tollgate/shared/store';
import { diagnoseFiles, type FileFacts } from '@tollgate/tools/doctor/inside/files.js';
import t, { type Test } from 'tap';
import {
  complaints,
  type ExaminedSystem,
  openStores,
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

const file: FileFacts = {
  variable: 'STORE_URL',
  path: '/data/tollgate.db',
  place: { network: undefined, isFuse: false, isMountedAlone: false, hasSecondName: false },
  others: [],
};

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

t.test('a Redis that evicts keys, has no persistence, or is shared', async (t) => {
  const { sessions, challenges, environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, { environment });
  t.strictSame(complaints(await examine({ env })), []);

  await challenges.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  await sessions.client.config('SET', 'maxmemory-policy', 'volatile-ttl');
  await sessions.client.config('SET', 'appendonly', 'no');
  await challenges.client.config('SET', 'save', '60 1');
  t.strictSame(complaints(await examine({ env })), [
    problem(
      'redis_evicts',
      'The Redis in STORE_URL evicts keys when its memory is full (maxmemory-policy volatile-ttl).',
    ),
    warning('sessions_not_kept', 'The session Redis has no append-only file: a restart loses sessions.'),
    problem(
      'redis_evicts',
      'The Redis in CAPTCHA_CACHE_STORE evicts keys when its memory is full (maxmemory-policy allkeys-lru).',
    ),
    warning(
      'challenges_from_snapshots',
      'The Redis in CAPTCHA_CACHE_STORE only writes snapshots: after a crash, challenges spent since the last one can be spent again.',
    ),
  ]);
});

t.test('sessions and challenges on one Redis, under one address or two', async (t) => {
  const { sessions } = await openStores(t);
  const one = warning(
    'one_store',
    'Sessions and challenges share one Redis: a flood of challenges can fill its memory.',
  );
  for (const more of [{}, { CAPTCHA_CACHE_STORE: `${sessions.url}/1` }]) {
    const { examine, env, system } = await startExaminedSystem(t, {
      environment: { STORE_URL: sessions.url, ...more },
    });
    t.strictSame(complaints(await examine({ env })), [one]);
    // The next one has other secrets.
    await system.stop();
  }
});

t.test('an unavailable store and the affected service are named', async (t) => {
  const { challenges, environment } = await openStores(t);
  const { examine, env } = await startExaminedSystem(t, { environment });
  await challenges.stop();
  t.strictSame(complaints(await examine({ env })), [
    problem('service_away', 'A service or its store is unavailable; response: 503 (store_unavailable).'),
    problem(
      'store_away',
      'The store in CAPTCHA_CACHE_STORE does not respond from here: nothing listens at its address.',
    ),
    warning('degraded', 'session-service serves in a degraded state (failed: challenge_store).'),
    problem('not_ready', 'challenge-service is not ready (failed: store).'),
  ]);
});

t.test('weak or unreadable password hashes', async (t) => {
  const { examine, env } = await startExaminedSystem(t);
  const directory = openEmbeddedDirectory(join(env.DATA_DIR ?? '', 'users.db'));
  t.teardown(() => directory.close());
  await directory.add('old@example.com', `$2b$10$${'a'.repeat(53)}`);
  await directory.add('odd@example.com', 'plain text');
  await directory.add('none@example.com', '');
  t.strictSame(complaints(await examine({ env })), [
    problem('hashes_unreadable', 'The password hash of 1 user cannot be read: they cannot log in.'),
    warning('hashes_outdated', 'The password hash of 1 user is weaker than new ones.'),
  ]);
});

t.test('another machine that uses the store file is found and named', async (t) => {
  const { env, examine } = await sharedExaminedSystem();
  const path = join(env.DATA_DIR ?? '', 'tollgate.db');
  const there = openEmbeddedStore(path);
  const renewing = setInterval(() => void recordMachine(there, 'another-machine'), 50);
  const report = await examine({ env });
  clearInterval(renewing);
  await there.exchange('machine:another-machine', '', 1);
  await there.close();
  t.match(complaints(report), [
    {
      check: 'file_shared',
      severity: 'problem',
      message:
        /^Another machine \(\S+\) uses the file in STORE_URL, .*tollgate\.db: two machines corrupt it\.$/,
    },
  ]);
  t.strictSame(complaints(await examine({ env })), [], 'and no longer when it is gone');
});

t.test('a user file with a second name is found', async (t) => {
  const { env, examine } = await sharedExaminedSystem();
  const path = join(env.DATA_DIR ?? '', 'users.db');
  linkSync(path, `${path}.copy`);
  const found = complaints(await examine({ env }));
  rmSync(`${path}.copy`);
  t.match(found, [
    { check: 'file_with_two_names', message: /^The file in USERS_URL, .*users\.db, has a hard link/ },
  ]);
});

t.test('locations that this machine does not have', async (t) => {
  const checks = (place: Partial<FileFacts['place']>) =>
    diagnoseFiles([{ ...file, place: { ...file.place, ...place } }]).map(
      ({ check, severity, message }) => `${severity} ${check}: ${message}`,
    );
  t.strictSame(checks({ network: 'NFS' }), [
    'problem file_on_network: The file in STORE_URL, /data/tollgate.db, is on NFS, which does not support locks.',
  ]);
  t.match(checks({ isFuse: true }), [/^warning file_on_fuse: /]);
  t.match(checks({ isMountedAlone: true }), [/^problem file_mounted_alone: .*without its folder/]);
  t.match(checks({}), [/^good files: /]);
  t.strictSame(diagnoseFiles([]), [], 'no finding without files');
});
