// Doctor and faults of the services: secrets, addresses and clocks in their environment, and their processes.
import { join } from 'node:path';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openStore } from '@tollgate/shared/store';
import { freePort } from '@tollgate/test-support/free-port.js';
import { PASSWORD } from '@tollgate/test-support/static-directory.js';
import { examine } from '@tollgate/tools/doctor/examine.js';
import { countedAddress } from '@tollgate/tools/doctor/inside/counted-address.js';
import { createPublicClient } from '@tollgate/tools/doctor/public-client.js';
import { type Environment, projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import { startService } from '@tollgate/tools/launcher/service-process.js';
import t from 'tap';
import { runNginxGateway } from '../gateway/gateway-programs.js';
import { type Node, startTwoOfEach } from '../gateway/two-of-each.js';
import { startServiceHere } from '../system/services-here.js';
import {
  CHEAP,
  complaints,
  openStores,
  sharedExaminedSystem,
  startExaminedSystem,
} from './examined-system.js';

const problem = (check: string, message: string) => ({ check, severity: 'problem', message });
const warning = (check: string, message: string) => ({ check, severity: 'warning', message });

/** Makes the clock of a Node process run ahead. */
const ahead = (ms: number) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms};`)}`,
});

const OTHER_KEY = 'another-secret-of-one-process-0123456789';
// Node reads the clock of its Date header where no script can replace it.
const MOVE_CLOCK = `
const { ServerResponse } = process.getBuiltinModule('node:http');
const { now } = Date;
const { writeHead } = ServerResponse.prototype;
Date.now = () => now() + 90_000;
ServerResponse.prototype.writeHead = function (...given) {
  this.setHeader('date', new Date(Date.now()).toUTCString());
  return writeHead.apply(this, given);
};`;
const AHEAD: Environment = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(MOVE_CLOCK)}`,
};

const UNTRUSTING = 'no TRUST_PROXY, although a gateway is in front: all their clients count as one address.';
const REFUSING = "processes reject each other's tokens.";

interface Fault {
  readonly name: string;
  readonly own: Environment;
  readonly sessions?: number;
  readonly challenges?: number;
  /** Doctor's findings about processes, with `…` for addresses. */
  readonly found: readonly string[];
  /** A message that it also prints from outside, without the environment. */
  readonly outside?: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'both session-services without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    sessions: 2,
    found: [`2 of 4 processes (session-service on …; session-service on …) have ${UNTRUSTING}`],
  },
  {
    name: 'one session-service without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    sessions: 1,
    found: [`1 of 4 processes (session-service on …) has ${UNTRUSTING}`],
  },
  {
    name: 'one challenge-service without TRUST_PROXY',
    own: { TRUST_PROXY: '' },
    challenges: 1,
    found: [`1 of 4 processes (challenge-service on …) has ${UNTRUSTING}`],
  },
  {
    name: 'one challenge-service with another CHALLENGE_SECRET',
    own: { CHALLENGE_SECRET: OTHER_KEY },
    challenges: 1,
    found: [`1 of 4 processes (challenge-service on …) has a different CHALLENGE_SECRET: ${REFUSING}`],
  },
  {
    name: 'one session-service with another CHALLENGE_SECRET',
    own: { CHALLENGE_SECRET: OTHER_KEY },
    sessions: 1,
    found: [`1 of 4 processes (session-service on …) has a different CHALLENGE_SECRET: ${REFUSING}`],
  },
  {
    name: 'one session-service with another ENCRYPTION_KEY',
    own: { ENCRYPTION_KEY: OTHER_KEY },
    sessions: 1,
    found: [`1 of 2 processes (session-service on …) has a different ENCRYPTION_KEY: ${REFUSING}`],
    outside:
      /^6 of 12 requests with the same access token are rejected with 401 \(token_invalid\): session-service processes differ\.$/,
  },
  {
    name: 'one session-service 90 s ahead',
    own: AHEAD,
    sessions: 1,
    found: ['The clock of session-service on … is 90 s ahead of that of its store.'],
    outside: /^The clocks of session-service processes differ by about (?:89|90) s\.$/,
  },
  {
    name: 'one challenge-service 90 s ahead',
    own: AHEAD,
    challenges: 1,
    found: ['The clock of challenge-service on … is 90 s ahead of that of its store.'],
    outside: /^The clocks of challenge-service processes differ by about (?:89|90) s\.$/,
  },
];

/** Its other messages: about the gateway, and the environment. */
const BLAMING_OTHERS = /^A new access token is rejected|this is not its environment/;

const GOOD = ['4 processes report the same secrets and synchronized clocks.'];

t.test('secrets that are short, equal, weak or changing', async (t) => {
  const { examine, env, system } = await sharedExaminedSystem();
  const { ACCESS_SECRET = '', REFRESH_SECRET = '' } = system.secrets;
  const short = await examine({
    // Reachable by others, so a weak secret prevents the start.
    env: { ...env, BIND: '0.0.0.0', ACCESS_SECRET: 'short', REFRESH_SECRET: env.ENCRYPTION_KEY },
  });
  t.strictSame(complaints(short), [
    problem(
      'configuration',
      'The service would not start: ACCESS_SECRET must have at least 32 characters in each element.',
    ),
    problem(
      'configuration',
      'The service would not start: ENCRYPTION_KEY must not share an element with REFRESH_SECRET.',
    ),
  ]);
  t.equal(short.skipped.at(-1), 'Stores and users: correct the environment first.');

  const changing = await examine({
    env: {
      ...env,
      BIND: '0.0.0.0',
      ACCESS_SECRET: 'ab'.repeat(20),
      REFRESH_SECRET: `${REFRESH_SECRET},${ACCESS_SECRET}`,
    },
  });
  const local = await examine({ env: { ...env, REFRESH_WINDOWS: '5' } });
  t.strictSame(complaints(local), [
    warning(
      'configuration',
      'The service starts, but: REFRESH_WINDOWS is not known: REFRESH_WINDOW may be meant.',
    ),
  ]);
  t.strictSame(complaints(changing), [
    problem(
      'configuration',
      'The service would not start: ACCESS_SECRET is too easy to guess, with few different characters or a pattern that repeats: make one with openssl rand -hex 32.',
    ),
    warning('keys_changing', 'REFRESH_SECRET has 2 elements: a key rotation is in progress.'),
  ]);
  const said = JSON.stringify([short, changing]);
  for (const secret of [...Object.values(system.secrets), 'abab']) t.notOk(said.includes(secret));
});

t.test('secrets in files are read, and a missing file is a mistake', async (t) => {
  const { examine, env } = await sharedExaminedSystem();
  const { ENCRYPTION_KEY = '', CHALLENGE_SECRET = '', ...others } = env;
  const folder = t.testdir({ encryption: `${ENCRYPTION_KEY}\n`, challenge: CHALLENGE_SECRET });
  const fromFiles = {
    ...others,
    ENCRYPTION_KEY_FILE: join(folder, 'encryption'),
    CHALLENGE_SECRET_FILE: join(folder, 'challenge'),
  };
  t.strictSame(complaints(await examine({ env: fromFiles })), []);
  const missing = join(folder, 'missing');
  t.strictSame(complaints(await examine({ env: { ...fromFiles, ENCRYPTION_KEY_FILE: missing } })), [
    problem(
      'configuration',
      `The service would not start: ENCRYPTION_KEY_FILE names a file that cannot be read: ${missing} (file not found).`,
    ),
  ]);
});

t.test('an environment of another service', async (t) => {
  const { examine, env, publicUrl } = await sharedExaminedSystem();
  const other = {
    ...env,
    ENCRYPTION_KEY: 'another-key-of-this-test-0123456789',
    PUBLIC_URL: 'http://localhost:1',
  };
  t.strictSame(complaints(await examine({ env: other })), [
    problem('public_url_differs', 'PUBLIC_URL is http://localhost:1, not the examined address.'),
    problem(
      'other_environment',
      'ENCRYPTION_KEY does not open a token of the running service: this is not its environment.',
    ),
  ]);
  const missing = { ...env, DATA_DIR: join(t.testdir(), 'nothing'), PUBLIC_URL: publicUrl };
  t.strictSame(complaints(await examine({ env: missing })), [
    problem('store_away', 'The store in STORE_URL does not respond from here.'),
    problem(
      'directory_away',
      `The user directory does not respond from here: file not found: ${join(missing.DATA_DIR, 'users.db')}.`,
    ),
  ]);
});

t.test('an embedded store in production', async (t) => {
  const { examine, env } = await sharedExaminedSystem();
  t.strictSame(
    complaints(
      await examine({
        env: {
          ...env,
          NODE_ENV: 'production',
          CAPTCHA_TEST_MODE: 'false',
          CAPTCHA_POW_DIFFICULTY: '16',
          CAPTCHA_POW_MAX_DIFFICULTY: '24',
          ALLOW_EMBEDDED: 'true',
        },
      }),
    ),
    [warning('embedded', 'STORE_URL, USERS_URL name a file: it serves the processes of one machine alone.')],
  );
});

t.test('a gateway missing in TRUST_PROXY', async (t) => {
  const collapsed =
    'Requests from different addresses count as one: all clients share every limit and price.';
  for (const TRUST_PROXY of ['', '192.0.2.7']) {
    const { examine, env } = await startExaminedSystem(t, {
      serviceEnvironment: { 'session-service': { TRUST_PROXY }, 'challenge-service': { TRUST_PROXY } },
    });
    t.strictSame(complaints(await examine()), [problem('addresses_collapsed', collapsed)]);
    const unset = problem(
      'trust_proxy_unset',
      'TRUST_PROXY is not set, although a gateway is in front: all clients count as one address.',
    );
    t.strictSame(complaints(await examine({ env: { ...env, TRUST_PROXY } })), [
      TRUST_PROXY === '' ? unset : problem('addresses_collapsed', collapsed),
    ]);
  }
});

t.test('with a single route, the store shows the counted address', async (t) => {
  const { challenges, environment } = await openStores(t);
  for (const given of [environment, {}]) {
    const examined = await startExaminedSystem(t, { environment: given });
    const url =
      'CAPTCHA_CACHE_STORE' in given
        ? challenges.url
        : `file:${join(examined.env.DATA_DIR ?? '', 'tollgate.db')}`;
    const store = openStore(url, '/');
    t.teardown(() => store.close());
    if (store.kind === 'redis' && store.client.status !== 'ready') {
      await new Promise<void>((resolve) => store.client.once('ready', () => resolve()));
    }
    const ring = openKeyRing(examined.system.secrets.CHALLENGE_SECRET);
    const client = createPublicClient({
      publicUrl: examined.publicUrl,
      challengePrefix: 'api/captcha',
      pageOrigin: '',
    });
    const count = (own: string, others: string[]) =>
      countedAddress({ store, prefix: 'captcha', ring }, own, others, () =>
        client.issueImage({ family: 4, localAddress: '127.0.0.2' }),
      );
    t.strictSame(await count('127.0.0.2', ['127.0.0.1']), { isOwn: true, proxy: undefined });
    t.equal(await count('192.0.2.1', ['127.0.0.1', 'no address']), undefined);
    t.equal(await count('', ['127.0.0.1']), undefined);
    examined.front.breakWith({
      passing: ({ headers }) => {
        delete headers['x-forwarded-for'];
      },
    });
    t.strictSame(await count('127.0.0.2', ['127.0.0.1']), { isOwn: false, proxy: '127.0.0.1' });
  }
});

t.test('clocks that differ', async (t) => {
  const session = await startExaminedSystem(t, {
    startService: (name, options) =>
      (name === 'session-service' ? startService : startServiceHere)(name, options),
    serviceEnvironment: { 'session-service': ahead(60_000) },
  });
  t.match(complaints(await session.examine()), [
    {
      check: 'clocks_apart',
      message: /^The clocks of session-service and its store differ by (59|60|61) s\.$/,
    },
  ]);
  const here = await startExaminedSystem(t, { startService, environment: { ...ahead(60_000) } });
  here.front.breakWith({
    returning: ({ headers }) => {
      headers.date = new Date(Date.parse(String(headers.date)) + 60_000).toUTCString();
    },
  });
  const found = complaints(await here.examine());
  t.match(found, [{ check: 'clock_here', severity: 'warning', message: /by (59|60|61) s/ }]);
  t.equal(found.length, 1);
});

t.test('faults of single processes are found and explained, without false findings', async (t) => {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const { sessions, challenges, env } = await startTwoOfEach(t, {
    ...CHEAP,
    DRAIN_SECONDS: '0',
    PUBLIC_URL: publicUrl,
  });
  const upstreams = { sessions: sessions.map(({ at }) => at), challenges: challenges.map(({ at }) => at) };
  // Lets process clocks be seen from outside, as behind gateways that set no Date.
  await runNginxGateway(t, { port, ...upstreams }, (text) => `proxy_pass_header Date;\n${text}`);
  const look = async () => {
    const { findings } = await examine({
      publicUrl,
      challengePrefix: 'api/captcha',
      pageOrigin: publicUrl,
      account: { email: 'user1@example.com', password: PASSWORD },
      fields: { token: 'pow_token', nonce: 'pow_nonce' },
      env,
      root: projectRoot,
    });
    const about = findings.filter(({ check }) => check.startsWith('process'));
    return {
      ofProcesses: about.map(({ message }) => message.replaceAll(/ on [^;()]+?, process \d+/g, ' on …')),
      problems: findings.filter(({ severity }) => severity === 'problem').map(({ message }) => message),
    };
  };

  t.strictSame(await look(), { ofProcesses: GOOD, problems: [] }, 'without a fault');
  let before: readonly Node[] = [];
  for (const {
    name,
    own,
    sessions: ofSessions = 0,
    challenges: ofChallenges = 0,
    found,
    outside,
  } of FAULTS) {
    const nodes = [...sessions.slice(0, ofSessions), ...challenges.slice(0, ofChallenges)];
    const mended = before.filter((node) => !nodes.includes(node));
    await Promise.all([...nodes.map((node) => node.restart(own)), ...mended.map((node) => node.restart())]);
    const { ofProcesses, problems } = await look();
    t.strictSame(ofProcesses, found, name);
    if (outside !== undefined)
      t.ok(
        problems.some((message) => outside.test(message)),
        problems.join('\n'),
      );
    t.notOk(problems.some((message) => BLAMING_OTHERS.test(message)));
    before = nodes;
  }
  await Promise.all(before.map((node) => node.restart()));
  t.strictSame(await look(), { ofProcesses: GOOD, problems: [] }, 'after a rollout');

  await sessions[0]?.restart({ ...AHEAD, TRUST_PROXY: '', ENCRYPTION_KEY: OTHER_KEY });
  await sessions[0]?.kill();
  t.strictSame(
    await look(),
    { ofProcesses: ['3 processes report the same secrets and synchronized clocks.'], problems: [] },
    'a killed process does not count',
  );
});
