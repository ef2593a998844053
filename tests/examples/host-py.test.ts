// docs/examples/host.py, a login in Python, with the running services.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startRedis } from '@tollgate/test-support/redis-server.js';
import t, { type Test } from 'tap';
import { examples, type HostedSystem, startHostedSystem } from './hosts.js';

const account = { email: 'someone@example.com', password: 'a password of these tests' };
const wrong = { ...account, password: 'wrong' };
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'Python is not installed';

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

t.test('a login in Python', { skip }, async (t) => {
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
