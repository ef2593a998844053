// Doctor's conclusions from facts that no test machine has, and its small rules.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openModuleDirectory } from '@tollgate/session-service/directory/module-directory.js';
import { redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import { type Answer, readSetCookie } from '@tollgate/tools/doctor/answer.js';
import type { CountedAddress } from '@tollgate/tools/doctor/inside/counted-address.js';
import { diagnoseOtherAccounts, probeOtherAccounts } from '@tollgate/tools/doctor/inside/other-accounts.js';
import { diagnoseReadiness } from '@tollgate/tools/doctor/inside/readiness.js';
import { probeRedis } from '@tollgate/tools/doctor/inside/redis.js';
import { diagnoseStores } from '@tollgate/tools/doctor/inside/stores.js';
import { diagnoseUsers, probeDirectory } from '@tollgate/tools/doctor/inside/users.js';
import { diagnoseAddresses } from '@tollgate/tools/doctor/outside/addresses.js';
import { diagnoseCookie } from '@tollgate/tools/doctor/outside/cookie.js';
import { solveWork } from '@tollgate/tools/doctor/outside/login.js';
import { diagnosePublicKeys } from '@tollgate/tools/doctor/outside/public-keys.js';
import { diagnoseBinding } from '@tollgate/tools/doctor/outside/routing.js';
import { diagnoseTransport, probePlainHttp } from '@tollgate/tools/doctor/outside/transport.js';
import { createPublicClient } from '@tollgate/tools/doctor/public-client.js';
import { reportLines } from '@tollgate/tools/doctor/report.js';
import t from 'tap';

const answer = (status: number, headers: Record<string, string> = {}, json = {}): Answer => ({
  status,
  headers,
  cookies: [],
  bytes: new Uint8Array(),
  text: '',
  json,
  localAddress: '127.0.0.1',
});
const HSTS = { 'strict-transport-security': 'max-age=31536000' };
const server = {
  variable: 'STORE_URL',
  runId: 'a',
  version: '7.2.4',
  policy: 'noeviction',
  persistence: 'append_only' as const,
  replicas: 0,
  minReplicasToWrite: 0,
  offsetMs: 0,
  holds: ['sessions'] as const,
};

t.test('public keys that are not routed, not all published, or not cached', async (t) => {
  const jwk = (kid: string) => ({ kty: 'EC', crv: 'P-256', kid });
  const cached = { 'cache-control': 'public, max-age=300' };
  const published = answer(200, cached, { keys: [jwk('11111111'), jwk('22222222')] });
  const checks = (jwks: Answer, signedBy?: string) =>
    diagnosePublicKeys({ jwks, signedBy }).map(({ check, severity }) => `${check} ${severity}`);
  t.strictSame(checks(published, '22222222'), ['public_keys good']);
  t.strictSame(checks(published), ['public_keys good']);
  t.strictSame(checks(published, '33333333'), ['public_keys problem'], 'another process has other keys');
  t.strictSame(checks(answer(404), '11111111'), ['public_keys problem'], 'the gateway does not route it');
  t.strictSame(checks(answer(200, {}, { keys: [null, 5] }), '11111111'), ['public_keys problem']);
  t.strictSame(checks(answer(404)), [], 'sealed tokens require no keys');
  t.strictSame(checks(answer(200, cached, { keys: [] })), []);
  t.strictSame(checks(answer(200, { 'cache-control': 'no-store' }, { keys: [jwk('1')] })), [
    'public_keys_uncached warning',
  ]);
});

t.test('a Redis that is too old, or whose clock is wrong', async (t) => {
  const checks = (changes: object) =>
    diagnoseStores({
      servers: [
        { ...server, ...changes },
        { ...server, variable: 'CAPTCHA_CACHE_STORE', runId: 'b', holds: ['challenges'] },
      ],
      away: [],
      areTwo: true,
    }).flatMap(({ check }) => (check === 'redis' ? [] : check));
  t.strictSame(checks({}), ['stores']);
  t.strictSame(checks({ policy: undefined }), ['stores'], 'an unknown policy is no finding');
  for (const version of ['6.2.0', '8.0.1', '10.1.0']) t.strictSame(checks({ version }), ['stores']);
  for (const version of ['6.0.16', '5.0.7', '0']) t.strictSame(checks({ version }), ['redis_old']);
  for (const offsetMs of [2001, -60_000]) t.strictSame(checks({ offsetMs }), ['store_clock']);
  for (const offsetMs of [2000, -2000]) t.strictSame(checks({ offsetMs }), ['stores']);
});

t.test('the persistence and replication of a Redis are shown, and a warning if insufficient', async (t) => {
  const look = (changes: object) =>
    diagnoseStores({ servers: [{ ...server, ...changes }], away: [], areTwo: false })
      .filter(({ check }) => !['one_store', 'stores'].includes(check))
      .map(({ check, severity, message }) => [severity, check === 'redis' ? message : check]);
  const settings = 'has maxmemory-policy noeviction';
  t.strictSame(look({ replicas: 2, minReplicasToWrite: 1 }), [
    [
      'good',
      `The Redis in STORE_URL (version 7.2.4) writes an append-only file, ${settings}, 2 replicas and min-replicas-to-write 1.`,
    ],
  ]);
  t.match(look({ persistence: 'snapshots', holds: ['sessions', 'challenges'] }), [
    ['warning', 'challenges_from_snapshots'],
    ['warning', 'sessions_not_kept'],
    ['good', /writes only snapshots/],
  ]);
  t.match(look({ persistence: 'none', holds: ['challenges'] }), [['good', /has no persistence/]]);
  const unknown = {
    persistence: 'unknown',
    policy: undefined,
    minReplicasToWrite: undefined,
    version: undefined,
  };
  t.match(look(unknown), [
    [
      'good',
      /version unknown\) does not report .*policy unknown, no replica and min-replicas-to-write unknown/,
    ],
  ]);
});

t.test('a real Redis reports its settings, and its clock difference is found', async (t) => {
  const { store } = await redisStore(t);
  if (store.kind !== 'redis') throw new TypeError('no Redis');
  const [facts] = await probeRedis('STORE_URL', ['sessions'], store, () => Date.now() + 60_000);
  if (facts === undefined) throw new TypeError('no server');
  t.match(facts, {
    variable: 'STORE_URL',
    runId: /^[0-9a-f]{40}$/,
    version: /^\d+\.\d+\.\d+$/,
    policy: 'noeviction',
    persistence: 'none',
    replicas: 0,
    minReplicasToWrite: 0,
  });
  t.ok(facts.offsetMs < -58_000 && facts.offsetMs > -62_000);
});

t.test('plain http beside https redirects, is closed, or is served', async (t) => {
  let headers: Record<string, string> = { location: 'https://localhost/' };
  const web = createServer((_request, response) =>
    response.writeHead(headers.location ? 308 : 200, headers).end(),
  );
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const visit = { challengePrefix: 'api/captcha', pageOrigin: '', connect: '127.0.0.1' };
  const publicUrl = 'https://tollgate.example';
  const look = async () => {
    const plain = await probePlainHttp(createPublicClient({ ...visit, publicUrl }), port);
    return diagnoseTransport({ publicUrl, answer: answer(200, HSTS), plain }).map(({ check, severity }) => [
      check,
      severity,
    ]);
  };
  t.strictSame((await look())[1], ['plain_http', 'good']);
  headers = { location: 'http://localhost/elsewhere' };
  t.strictSame((await look())[1], ['plain_http_served', 'warning']);
  headers = {};
  t.strictSame((await look())[1], ['plain_http_served', 'warning']);
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
  t.strictSame((await look())[1], ['plain_http', 'good']);
  for (const url of ['http://tollgate.example', 'https://tollgate.example:8443']) {
    t.equal(await probePlainHttp(createPublicClient({ ...visit, publicUrl: url })), undefined);
  }
});

t.test('https without Strict-Transport-Security is a warning', async (t) => {
  const look = (headers: Record<string, string>) =>
    diagnoseTransport({ publicUrl: 'https://a.example', answer: answer(401, headers), plain: undefined });
  t.strictSame(
    look(HSTS).map(({ check }) => check),
    ['transport'],
  );
  t.strictSame(
    look({}).map(({ check }) => check),
    ['transport', 'hsts_missing'],
  );
});

t.test('the counted address decides if addresses cannot be distinguished', async (t) => {
  const facts = { plain: ['aa', 'aa'], claiming: ['aa'], apart: ['aa'], trustProxy: ['10.0.0.2'] };
  const look = (counted?: CountedAddress) =>
    diagnoseAddresses({ ...facts, counted }).map(({ check, message }) => `${check}: ${message}`);
  t.strictSame(look({ isOwn: false, proxy: '10.0.0.1' }), [
    'addresses_collapsed: This client counts as 10.0.0.1, which is not its address: all clients share every limit and price.',
  ]);
  t.strictSame(look({ isOwn: true, proxy: undefined }), [
    'addresses: Each client counts as its own address, and cannot claim another.',
  ]);
  t.strictSame(look(), ['addresses: A client cannot claim another address.']);
});

t.test('cookie attributes are read in any spelling', async (t) => {
  const { name, value, attributes } = readSetCookie('a = b=c ; PATH=/x; secure;Max-Age=1; path=/y;');
  t.strictSame({ name, value }, { name: 'a', value: 'b=c' });
  t.equal(attributes.get('path'), '/y');
  t.ok(attributes.has('secure'));
  t.equal(attributes.get('max-age'), '1');
});

t.test('the refresh cookie is Secure, except on plain http within this machine', async (t) => {
  const checks = (publicUrl: string, attributes: string) => {
    const expired = [
      'refreshToken=; Max-Age=0; Path=/; Secure',
      'refreshToken=; Max-Age=0; Path=/refresh/; Secure',
    ];
    const set = `refreshToken=x; Max-Age=9; Path=/refresh; HttpOnly; SameSite=Strict${attributes}`;
    const login = { ...answer(200), cookies: [...expired, set] };
    return diagnoseCookie({ publicUrl, login, logout: undefined }).map(({ check }) => check);
  };
  for (const url of ['https://example.com', 'https://localhost:1']) {
    t.strictSame(checks(url, '; Secure'), ['cookie'], 'the cookie that is set, not an expired one');
    t.strictSame(checks(url, ''), ['cookie_attributes']);
  }
  for (const url of ['http://localhost:1', 'http://a.localhost', 'http://127.0.0.2', 'http://[::1]:1']) {
    t.strictSame(checks(url, ''), ['cookie'], url);
  }
  t.strictSame(checks('http://shop.test', ''), ['cookie_attributes']);
});

t.test('work is solved, and other values are ignored', async (t) => {
  const salt = '0'.repeat(32);
  t.match(solveWork({ salt, difficulty: 8, algorithm: 'sha256' }), /^\d+$/);
  for (const work of [
    {},
    { salt, difficulty: 25, algorithm: 'sha256' },
    { salt, difficulty: 8, algorithm: 'md5' },
    { salt, difficulty: '8', algorithm: 'sha256' },
  ]) {
    t.equal(solveWork(work), undefined);
  }
});

t.test('readiness names failed checks', async (t) => {
  const look = (status: number, json: object) =>
    diagnoseReadiness({ 'challenge-service': answer(status, {}, json) }).map(({ severity, message }) => [
      severity,
      message,
    ]);
  t.strictSame(look(200, { status: 'ok', checks: { store: 'ok' } }), [
    ['good', 'challenge-service is ready.'],
  ]);
  t.strictSame(look(200, { status: 'degraded', checks: { store: 'ok', images: 'failed' } }), [
    ['warning', 'challenge-service serves in a degraded state (failed: images).'],
  ]);
  t.strictSame(look(200, { status: 'degraded', checks: { store: 'clock' } }), [
    ['problem', 'The clocks of challenge-service and its store differ by more than 2 s.'],
  ]);
  t.match(look(503, { status: 'failed', checks: { store: 'full', images: 'failed' } }), [
    ['problem', 'challenge-service is not ready (failed: images).'],
    ['problem', /full/],
  ]);
  t.strictSame(look(503, { status: 'stopping', checks: {} }), [
    ['problem', 'challenge-service is not ready (stopping).'],
  ]);
});

t.test('hashes that are never replaced are distinguished from those that will be', async (t) => {
  const facts = { away: undefined, unusable: undefined, seen: 9, unreadable: 0, outdated: 2 };
  t.match(diagnoseUsers({ ...facts, replaces: true }), [{ advice: /when its owner logs in/ }]);
  t.match(diagnoseUsers({ ...facts, replaces: false }), [{ advice: /^Set USERS_SAVE_HASH/ }]);
  t.match(diagnoseUsers({ ...facts, seen: 0, outdated: 0, replaces: true }), [{ severity: 'good' }]);
});

t.test('the report begins with problems', async (t) => {
  t.strictSame(
    reportLines({
      publicUrl: 'https://a.example',
      findings: [
        { check: 'a', severity: 'good', message: 'Fine.' },
        { check: 'b', severity: 'problem', message: 'Bad.', advice: 'Mend it.' },
        { check: 'c', severity: 'warning', message: 'Odd.', advice: 'Look at it.' },
      ],
      skipped: ['The rest.'],
    }),
    [
      'problem  Bad.',
      '         Mend it.',
      'warning  Odd.',
      '         Look at it.',
      'good     Fine.',
      'skipped  The rest.',
      '1 problem, 1 warning, 1 good',
    ],
  );
});

t.test('an unavailable directory and one with malformed users are distinguished', async (t) => {
  const folder = tempDir(t);
  const look = async (name: string, methods: string) => {
    const path = join(folder, `${name}.mjs`);
    const rest = 'findById: async () => undefined, close: async () => {}';
    writeFileSync(path, `export default { ${methods}, ${rest} };`);
    return diagnoseUsers(await probeDirectory(await openModuleDirectory(path), 'Ada@example.com'));
  };
  t.match(
    await look(
      'away',
      "health: async () => { throw new Error('secret'); }, findByEmail: async () => undefined",
    ),
    [
      {
        check: 'directory_away',
        message: "The user directory does not respond from here: the driver's health threw Error: secret.",
      },
    ],
  );
  t.match(await look('odd', 'health: async () => {}, findByEmail: async () => ({ id: 1 })'), [
    {
      check: 'user_unusable',
      severity: 'problem',
      message: "The --email account cannot log in: the driver's findByEmail returned a user without email.",
    },
  ]);
  const bob = "{ id: 2, email: 'bob@example.com', hash: '', disabled: false }";
  t.match(await look('loose', `health: async () => {}, findByEmail: async () => (${bob})`), [
    {
      check: 'user_of_other_account',
      severity: 'problem',
      message:
        'The --email account cannot log in: the directory returned user 2, who has a different address.',
    },
  ]);
});

t.test(
  'a directory that returned users of other accounts is a problem, as its service counts them',
  async (t) => {
    let metrics = '';
    const server = createServer((_request, response) => response.end(metrics)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const look = async (text: string) => {
      metrics = text;
      return diagnoseOtherAccounts(await probeOtherAccounts('127.0.0.1', port));
    };
    t.strictSame(await look(''), [], 'a version that does not count them');
    t.strictSame(await look('tollgate_directory_other_accounts_total 0\n'), []);
    t.match(await look('tollgate_directory_other_accounts_total 16\n'), [
      {
        check: 'other_accounts',
        severity: 'problem',
        message:
          'The directory returned a user of another account 16 times; the response to such a login is that for an unknown account.',
      },
    ]);
  },
);

t.test('a renewal response that is not from the service is a problem', async (t) => {
  const over = answer(200, {}, { session_identifier: 'doctor', continue: false });
  const isOff = answer(404, { 'content-language': 'en' }, { code: 'not_found' });
  for (const right of [over, isOff]) t.match(diagnoseBinding(right), [{ severity: 'good' }]);
  const wrong = [
    answer(404, {}, { code: 'not_found' }),
    answer(200, {}, {}),
    ...[0, 301, 401, 403, 429, 502].map((status) => answer(status)),
  ];
  for (const each of wrong) t.match(diagnoseBinding(each), [{ check: 'binding', severity: 'problem' }]);
});
