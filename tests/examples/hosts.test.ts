// docs/examples/host.py, host.sh and orders.js with the running services: a login in Python, a host in the shell, and a
// service that verifies access tokens.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exportAccessKeys, openKeyRing } from '@tollgate/shared/crypto';
import { openKeyRecord, openStore } from '@tollgate/shared/store';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t, { type Test } from 'tap';
import { codeBlocks } from '../docs/markdown.js';
import { readProjectFile } from '../docs/project-file.js';
import { examples, type HostedSystem, startHostedSystem } from './hosts.js';

const account = { email: 'someone@example.com', password: 'a password of these tests' };
const wrong = { ...account, password: 'wrong' };
const withoutPython = spawnSync('python3', ['--version']).status === 0 ? false : 'Python is not installed';

/** Starts the example; resolves with the address of its one route. */
async function startExample(
  t: Test,
  system: HostedSystem,
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn('python3', ['-B', join(examples, 'host.py'), '0'], {
    env: {
      PATH: process.env.PATH,
      ...system.hostEnvironment,
      DEMO_EMAIL: account.email,
      DEMO_PASSWORD: account.password,
      ...changes,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(async () => {
    const gone = once(child, 'close');
    if (child.kill()) await gone;
  });
  const [address] = await once(createInterface({ input: child.stdout }), 'line');
  return address;
}

t.test('host.py names a missing variable in one line', { skip: withoutPython }, async (t) => {
  for (const [env, line] of [
    [{}, 'HOST_API_KEY must be set\n'],
    [{ HOST_API_KEY: 'x' }, 'DEMO_EMAIL must be set\n'],
  ] as const) {
    const { status, stderr } = spawnSync('python3', ['-B', join(examples, 'host.py')], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    t.strictSame([status, stderr], [1, line]);
  }
});

const script = join(examples, 'host.sh');
const KEY = `some"one\\@example.com`;
const IP = '203.0.113.7';
const withoutCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed';

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(environment: Record<string, string>, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn('/bin/sh', [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, out, err };
}

const PROGRAM = join(examples, 'orders.js');

t.test('a login in Python', { skip: withoutPython }, async (t) => {
  const { url } = await startRedis(t);
  const system = await startHostedSystem(t, { STORE_URL: url });
  const address = await startExample(t, system);
  const signIn = async (body: object, headers = {}) => {
    const answer = await fetch(address, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: answer.status, json: (await answer.json()) as { code: string; pow_scope: string } };
  };

  await t.test('the right password and solved work are accepted', async (t) => {
    t.strictSame(await signIn({ ...account, ...(await system.work()) }), {
      status: 200,
      json: { email: account.email },
    });
  });

  await t.test('failures raise the price of the account and require an image, until a success', async (t) => {
    const first = await signIn({ ...wrong, ...(await system.work()) });
    t.match(first, { status: 422, json: { code: 'login_failed', captcha_required: false } });
    const { pow_scope: scope } = first.json;
    // The rejected address remembers the price; another one does not.
    t.match(await signIn({ ...wrong, ...(await system.work(undefined, '198.51.100.7')) }), {
      status: 422,
      json: { code: 'pow_insufficient', pow_scope: String },
    });
    t.match(await signIn({ ...wrong, ...(await system.work(scope)) }), {
      json: { code: 'login_failed', captcha_required: true, captcha_alternatives: ['effort'] },
    });
    t.match(await signIn({ ...account, ...(await system.work(scope)) }), {
      status: 422,
      json: {
        code: 'captcha_required',
        captcha_required: true,
        errors: { captcha_token: [String], captcha: [String] },
      },
    });
    t.match(await signIn({ ...account, ...(await system.work(scope)), ...(await system.image()) }), {
      status: 200,
    });
    t.equal((await signIn({ ...account, ...(await system.work()) })).status, 200, 'cheap again');
  });

  await t.test('of parallel guesses only two reach the password without an image', async (t) => {
    const guess = { email: 'nobody@example.com', password: 'a guess' };
    const works = await Promise.all(Array.from({ length: 20 }, () => system.work()));
    const answers = await Promise.all(works.map((work) => signIn({ ...guess, ...work })));
    t.equal(answers.filter(({ json }) => json.code === 'login_failed').length, 2);
  });

  await t.test('blank fields are no image', async (t) => {
    const guess = { email: 'no-one@example.com', password: 'a guess' };
    const works = await Promise.all(Array.from({ length: 20 }, () => system.work()));
    const answers = await Promise.all(
      works.map((work, at) => {
        const blank = at % 2 === 0 ? '' : null;
        return signIn({ ...guess, captcha_token: blank, captcha: blank, ...work });
      }),
    );
    const looks = answers.filter(({ json }) => json.code === 'login_failed').length;
    t.ok(looks === 1 || looks === 2, `${looks} reached the password`);
  });

  await t.test('errors come in the language of the client', async (t) => {
    t.match(await signIn(account, { 'accept-language': 'fr' }), {
      status: 422,
      json: { code: 'pow_invalid', errors: { pow_token: ['Ce champ est obligatoire.'] } },
    });
    t.equal((await signIn({})).status, 422);
    t.equal((await fetch(address, { method: 'POST', body: '[' })).status, 400);
  });

  await t.test('a name that is too long for the host API is rejected before it is sent there', async (t) => {
    t.match(await signIn({ ...account, email: 'x'.repeat(513), ...(await system.work()) }), {
      status: 422,
      json: { code: 'validation_failed' },
    });
    t.match(await signIn({ ...account, email: 'x'.repeat(512), ...(await system.work()) }), {
      status: 422,
      json: { code: 'login_failed' },
    });
  });

  await t.test('rejections by the host API and malformed passwords get a response', async (t) => {
    const failed = { status: 500, json: { message: 'Something went wrong.', code: 'internal_error' } };
    const stranger = await startExample(t, system, { HOST_API_KEY: 'x'.repeat(32) });
    const answer = await fetch(stranger, { method: 'POST', body: JSON.stringify(account) });
    t.strictSame({ status: answer.status, json: await answer.json() }, failed);
    t.match(await signIn({ ...account, password: '\ud800', ...(await system.work()) }), {
      status: 422,
      json: { code: 'validation_failed' },
    });
  });

  await t.test('without the challenge service no login succeeds', async (t) => {
    const work = await system.work();
    await system.processes['challenge-service'].stop(10_000);
    t.match(await signIn({ ...account, ...work }), { status: 503, json: { code: 'unavailable' } });
  });
});

t.test('a host in the shell', { skip: withoutCurl }, async (t) => {
  const system = await startHostedSystem(t);
  const host = (...args: string[]) => run(system.hostEnvironment, ...args);
  const check = async (key: string, scope?: string, withImage = false) => {
    const { pow_token, pow_nonce } = await system.work(scope);
    const image = withImage ? Object.values(await system.image()) : [];
    return host('check', key, IP, pow_token, pow_nonce, ...image);
  };

  await t.test('lets a solved submission pass, once', async (t) => {
    const { pow_token, pow_nonce } = await system.work();
    const first = await host('check', '', '', pow_token, pow_nonce);
    t.strictSame(first, { status: 0, out: '{"success":true,"captcha_required":false}\n', err: '' });
    const second = await host('check', '', '', pow_token, pow_nonce);
    t.equal(second.status, 1);
    t.match(JSON.parse(second.out), { success: false, code: 'pow_invalid', errors: { pow_nonce: [String] } });
  });

  await t.test('raises the price of an account with failures, and clears it', async (t) => {
    const failure = await host('fail', KEY);
    t.equal(failure.status, 0);
    const { failures, pow_scope: scope, try: id } = JSON.parse(failure.out);
    t.equal(failures, 1);
    t.match(await check(KEY), { status: 1, out: /"code":"pow_insufficient"/ });
    t.match(await check(KEY, scope), { status: 0 });
    await host('fail', KEY);
    t.match(await check(KEY, scope), { status: 1, out: /"code":"captcha_required"/ });
    t.match(await check(KEY, scope, true), { status: 0 });
    t.strictSame(await host('withdraw', KEY, id), { status: 0, out: '', err: '' });
    t.match(await check(KEY, scope), { status: 0 });
    t.strictSame(await host('clear', KEY, IP), { status: 0, out: '', err: '' });
    t.match(await check(KEY), { status: 0 });
  });

  await t.test('counts a passing attempt, and rejects the next one at the same price', async (t) => {
    const attempt = async () => {
      const { pow_token, pow_nonce } = await system.work();
      return host('attempt', 'another@example.com', IP, pow_token, pow_nonce);
    };
    const first = await attempt();
    t.equal(first.status, 0);
    t.match(JSON.parse(first.out), { success: true, failures: 1, try: /^[0-9a-f]{32}$/ });
    t.match(await attempt(), { status: 1, out: /"code":"pow_insufficient"/ });
  });

  await t.test('prints one line per error, with status 2', async (t) => {
    const lines: [Ended, RegExp][] = [
      [await host(), /^usage: /],
      [await host('check', KEY), /^usage: /],
      [await host('fail', 'a\nb'), /^control characters/],
      [await host('check', 'a\tb', IP, 'x', 'y'), /^control characters/],
      [await host('check', KEY, 'nowhere', 'x', 'y'), /^the host API answered 422/],
      [
        await run({ ...system.hostEnvironment, HOST_API_KEY: 'wrong' }, 'fail', KEY),
        /^the host API answered 401/,
      ],
      [
        await run({ ...system.hostEnvironment, HOST_API_URL: 'http://127.0.0.1:1' }, 'fail', KEY),
        /does not respond/,
      ],
    ];
    for (const [{ status, err }, words] of lines) {
      t.equal(status, 2);
      t.match(err, words);
      t.notOk(err.includes(system.hostKey));
    }
    t.not((await run({}, 'fail', KEY)).status, 0, 'without a key');
  });
});

t.test('docs/sessions/verify-tokens.md shows the whole file', async (t) => {
  const programs = codeBlocks(readProjectFile('docs/sessions/verify-tokens.md'), 'js').filter((code) =>
    code.includes('Fastify('),
  );
  t.strictSame(programs.map(String), [readFileSync(PROGRAM, 'utf8')]);
});

t.test('orders.js on the embedded store', (t) => orders(t, {}));

t.test('orders.js on Redis', async (t) => orders(t, { STORE_URL: (await startRedis(t)).url }));

async function orders(t: Test, environment: { STORE_URL?: string }): Promise<void> {
  const system = await startHostedSystem(t, environment);
  const { address, child, closed } = await startOrders(t, system);
  const ask = async (authorization?: string) => {
    const answer = await fetch(`${address}/orders`, { headers: authorization ? { authorization } : {} });
    return { status: answer.status, json: await answer.json() };
  };

  t.strictSame(await ask(), { status: 401, json: { message: 'Please sign in.', code: 'token_invalid' } });
  const bearer = await signIn(system);
  t.match(await ask(bearer), { status: 200, json: { customer: 1, orders: [] } });
  const invoices = await fetch(`${address}/invoices`, { headers: { authorization: bearer } });
  t.match(await invoices.json(), { customer: 1, invoices: [] }, 'a login of just now');

  const ended = await fetch(`${system.address}/logout`, {
    method: 'POST',
    headers: { authorization: bearer },
  });
  t.equal(ended.status, 204);
  const limitMs = performance.now() + 5000;
  let answer = await ask(bearer);
  while (answer.status === 200 && performance.now() < limitMs) answer = await ask(bearer);
  t.match(answer, { status: 401, json: { code: 'session_revoked' } });

  child.kill('SIGTERM');
  t.strictSame(await closed, [0, null], 'the process exits');
  const store = openStore(system.storeUrl, '/');
  t.teardown(() => store.close());
  if (store.kind === 'redis') await once(store.client, 'ready');
  const { nodes } = await openKeyRecord(store).read();
  t.notOk(
    nodes.some(({ makes }) => !makes),
    'it has logged its end',
  );
}

async function startOrders(t: Test, { secrets, storeUrl }: HostedSystem) {
  const child = spawn(process.execPath, [PROGRAM], {
    cwd: tempDir(t),
    env: {
      PATH: process.env.PATH,
      ACCESS_SECRET: secrets.ACCESS_SECRET,
      ACCESS_KEYS: exportAccessKeys(openKeyRing(secrets.ENCRYPTION_KEY)),
      STORE_URL: storeUrl,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const listening = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, url] = /Server listening at (http:\/\/[^"\s]+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const ended = closed.then(() => Promise.reject(new Error('the example did not start')));
  ended.catch(() => {});
  return { address: await Promise.race([listening, ended]), child, closed };
}

/** The header of the demo account's access token. */
async function signIn(system: HostedSystem): Promise<string> {
  const answer = await fetch(`${system.address}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: system.address },
    body: JSON.stringify({ ...system.demo, ...(await system.work()) }),
  });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  return `Bearer ${accessToken}`;
}
