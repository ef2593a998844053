// Challenge guard for applications: its options, and its store.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from '@tollgate/shared/schemas';
import { StoreUnavailableError } from '@tollgate/shared/store';
import { SECRET } from '@tollgate/test-support/issuing.js';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import Fastify, { type FastifyInstance } from 'fastify';
import t, { type Test } from 'tap';
import { type ChallengeGuardOptions, challengeGuard, pow } from '../src/tollgate.js';

async function open(t: Test, changes: Partial<ChallengeGuardOptions> = {}) {
  const app = Fastify();
  t.teardown(() => app.close());
  const environment = { CHALLENGE_SECRET: SECRET, STORE_URL: `file:${join(tempDir(t), 'store.db')}` };
  await app.register(challengeGuard, { application: 'shop', environment, ...changes });
  app.post('/form', { config: { guards: [pow()] } }, async () => 'in');
  return app;
}

t.test('one plugin enforces the guards', async (t) => {
  const app = await open(t);
  const answer = await app.inject({ method: 'POST', url: '/form', payload: {} });
  t.match(answer.json(), { code: 'pow_invalid', captcha_required: false, errors: { pow_token: [String] } });
  t.equal((await app.captcha.recordFailure('someone')).failures, 1);
  t.equal(app.captcha.options.pow.difficulty, 16);
});

t.test('an empty form is rejected for its challenges, regardless of framing by a gateway', async (t) => {
  const app = await open(t);
  for (const type of [undefined, 'text/plain', 'nonsense']) {
    const headers = { 'transfer-encoding': 'chunked', ...(type && { 'content-type': type }) };
    const answer = await app.inject({ method: 'POST', url: '/form', headers });
    t.strictSame([answer.statusCode, answer.json().code], [422, 'pow_invalid'], String(type));
  }
});

t.test('the options come from the variables, or from code', async (t) => {
  const store = `file:${join(tempDir(t), 'store.db')}`;
  const environment = { CHALLENGE_SECRET: SECRET, STORE_URL: store, CAPTCHA_POW_DIFFICULTY: '18' };
  t.equal((await open(t, { environment })).captcha.options.pow.difficulty, 18);
  const coded = await open(t, { environment, options: { pow: { difficulty: 20 } } });
  t.equal(coded.captcha.options.pow.difficulty, 20);
});

t.test('challenge types come from CAPTCHA_MODULE, from code, or from both', async (t) => {
  const root = tempDir(t);
  const store = `file:${join(root, 'store.db')}`;
  const environment = { CHALLENGE_SECRET: SECRET, STORE_URL: store, CAPTCHA_MODULE: './own.mjs' };
  const kind = `{ name: 'own', maxAnswerCharacters: 200, hasMinimumTime: true, verify: () => 'wrong' }`;
  writeFileSync(join(root, 'own.mjs'), `export const kinds = [${kind}];`);
  const { kinds } = await import(pathToFileURL(join(root, 'own.mjs')).href);
  const longest = (app: FastifyInstance) => {
    const fits = (length: number) =>
      app.captcha.checkShape(
        { imageToken: 'A'.repeat(40), imageAnswer: 'x'.repeat(length) },
        { pow: false, image: 'required' },
      ) === null;
    return [64, 200, 416, 417].filter(fits);
  };
  t.strictSame(longest(await open(t, { environment, root })), [64, 200, 416]);
  t.strictSame(longest(await open(t, { environment, root, kinds })), [64, 200, 416], 'the same types twice');
  const another = [{ ...kinds[0], name: 'another', maxAnswerCharacters: 417 }];
  t.strictSame(longest(await open(t, { environment, root, kinds: another })), [64, 200, 416, 417]);
});

t.test('each mistake stops the start and has its own line', async (t) => {
  const store = { STORE_URL: `file:${join(tempDir(t), 'store.db')}` };
  const right = { CHALLENGE_SECRET: SECRET, ...store };
  const table: [Partial<ChallengeGuardOptions>, RegExp][] = [
    [{ application: 'login' }, /^the application must not be named login/],
    [{ application: '' }, /^the application must have a name/],
    [{ application: undefined as never }, /^the application must have a name/],
    [{ application: null as never }, /^the application must have a name/],
    [{ application: ['shop'] as never }, /^the application must have a name/],
    [{ environment: store }, /^CHALLENGE_SECRET is missing/],
    [
      { environment: { CHALLENGE_SECRET: SECRET } },
      /^STORE_URL is missing: it must name the store of the cha/,
    ],
    [{ environment: { ...right, CHALLENGE_SECRET: 'short' } }, /^CHALLENGE_SECRET must have at least 32/],
    [{ environment: { ...right, STORE_URL: 'mysql://x' } }, /^STORE_URL /],
    [{ environment: { ...right, CAPTCHA_EFFORT_BITS: '9' } }, /^CAPTCHA_EFFORT_BITS must be a whole number/],
    [{ environment: { ...right, NODE_ENV: 'production' } }, /^STORE_URL must name a Redis/],
    [
      { environment: { ...right, CAPTCHA_MODULE: './nowhere.js' } },
      /^CAPTCHA_MODULE names a module that cannot/,
    ],
    [{ kinds: [{ name: 'text', make: () => ({ answer: 'x' }) }] }, /^kinds\[0\]\.name must not be text/],
    [{ options: { effort: { bits: 9 } } }, /^effort\.bits must be a whole number from 0 to 8/],
    [
      {
        environment: {
          ...right,
          NODE_ENV: 'production',
          ALLOW_EMBEDDED: 'true',
          CAPTCHA_TEST_MODE: 'true',
        },
      },
      /^CAPTCHA_TEST_MODE must be false/,
    ],
  ];
  for (const [changes, line] of table) {
    const error = await open(t, changes).catch((error: unknown) => error);
    t.ok(error instanceof ConfigurationError, String(line));
    if (error instanceof ConfigurationError) {
      t.equal(error.lines.length, 1);
      t.match(error.lines[0], line);
    }
  }
});

t.test('an application without a store creates no file', async (t) => {
  const folder = tempDir(t);
  const environment = { CHALLENGE_SECRET: SECRET, DATA_DIR: folder };
  await t.rejects(open(t, { environment, root: folder }), ConfigurationError);
  t.strictSame(readdirSync(folder), []);
  const cache = { CHALLENGE_SECRET: SECRET, CAPTCHA_CACHE_STORE: `file:${join(folder, 'store.db')}` };
  t.equal((await open(t, { environment: cache })).captcha.options.pow.difficulty, 16);
});

t.test(
  'a request right after the start finds Redis, and an unreachable Redis does not stop the start',
  async (t) => {
    const redis = await startRedis(t);
    const environment = { CHALLENGE_SECRET: SECRET, STORE_URL: redis.url };
    const app = await open(t, { environment });
    await app.ready();
    t.equal((await app.captcha.recordFailure('someone')).failures, 1);
    await redis.stop();
    const early = await open(t, { environment });
    await early.ready();
    await t.rejects(early.captcha.recordFailure('someone'), StoreUnavailableError);
  },
);

t.test('unknown variables with our prefix are logged', async (t) => {
  const lines: string[] = [];
  const app = Fastify({ logger: { level: 'warn', stream: { write: (line: string) => lines.push(line) } } });
  t.teardown(() => app.close());
  const store = { CHALLENGE_SECRET: SECRET, STORE_URL: `file:${join(tempDir(t), 'store.db')}` };
  await app.register(challengeGuard, {
    application: 'shop',
    environment: { ...store, CAPTCHA_SITE_KEY: 'a secret' },
  });
  await app.ready();
  t.match(
    lines.map((line) => JSON.parse(line)),
    [{ mistakes: [/^CAPTCHA_SITE_KEY is not known/], msg: 'variables are ignored' }],
  );
  t.notMatch(lines.join(''), 'a secret');
});

t.test('warnings vanished in an application without a logger: they are lines on stderr', async (t) => {
  const lines: string[] = [];
  t.intercept(console, 'warn', { value: (line: string) => lines.push(line) });
  const store = { CHALLENGE_SECRET: SECRET, STORE_URL: `file:${join(tempDir(t), 'store.db')}` };
  const environment = { ...store, CAPTCHA_SITE_KEY: 'a secret' };
  await open(t, { environment });
  t.match(lines, [
    /^@tollgate\/fastify: variables are ignored: \{"mistakes":\["CAPTCHA_SITE_KEY is not known: [^\n]*$/,
  ]);
  t.notMatch(lines.join(''), 'a secret');
  const silent = Fastify({ logger: { level: 'silent' } });
  t.teardown(() => silent.close());
  await silent.register(challengeGuard, { application: 'shop', environment });
  t.equal(lines.length, 1, 'a silent logger stays silent');
});

t.test('a store without a challenge service is reported in the application’s log', async (t) => {
  const warned = new Promise<string>((resolve) => t.intercept(console, 'warn', { value: resolve }));
  await (await open(t)).listen();
  t.match(await warned, /^@tollgate\/fastify: no challenge service has reported on this store: [^\n]*$/);
});
