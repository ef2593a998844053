// Attempts and passes through the host API.

import { encodeVerifiedTail, type VerifiedType } from '@tollgate/shared/challenges';
import { openKeyRing } from '@tollgate/shared/crypto';
import { openChallengeStore, openStore } from '@tollgate/shared/store';
import { callCommand } from '@tollgate/test-support/command.js';
import { freePort } from '@tollgate/test-support/free-port.js';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import { tempDir } from '@tollgate/test-support/temp-dir.js';
import t from 'tap';
import { runCaptcha } from '../../src/cli/captcha.js';
import { type HostApi, IP, openHostApi, SHOP_KEY } from './host-api-server.js';

const KEY = 'someone@example.com';
const PARALLEL = 12;
const CHALLENGE_SECRET = 'challenge-secret-of-the-tests-0003';
const REST = 'the-right-answer-is-k7mxqp';

// Counting, image-only forms, required presets and harder work.

const works = (work: HostApi['work'], query?: string) =>
  Promise.all(Array.from({ length: PARALLEL }, () => work(query)));

t.test('of twelve parallel attempts on a new account, one passes with the cheapest work', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { admin, call, verify, work } = await openHostApi(t, store);
    const prepared = await works(work);
    const answers = await Promise.all(
      prepared.map((fields) => verify({ ...fields, key: KEY, count: true, ip: IP })),
    );
    const passed = answers.filter(({ json }) => json.success);
    t.equal(passed.length, 1);
    t.match(passed[0]?.json, {
      failures: 1,
      try: /^[0-9a-f]{32}$/,
      captcha_required: false,
      pow_scope: String,
    });
    for (const { json } of answers.filter((answer) => !answer.json.success)) {
      t.match(json, { code: 'pow_insufficient', message: String, errors: { pow_nonce: [String] } });
      t.notOk('try' in json);
    }
    t.equal(
      (await call('POST', '/host/failures', { key: KEY })).json.failures,
      2,
      'refused ones do not count',
    );
    t.match(
      (await admin.inject('/metrics')).body,
      /^tollgate_challenges_refused_total\{application="default",code="pow_insufficient",reason="insufficient"\} 11$/m,
    );
  });
});

t.test('of parallel attempts with a ticket, only as many pass as may fail without an image', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work } = await openHostApi(t, store);
    const { try: id, pow_scope: scope } = (await call('POST', '/host/failures', { key: KEY })).json;
    await call('DELETE', '/host/failures', { key: KEY, try: id });
    const prepared = await works(work, `?scope=${scope}`);
    const answers = await Promise.all(prepared.map((fields) => verify({ ...fields, key: KEY, count: true })));
    t.equal(answers.filter(({ json }) => json.success).length, 2);
    for (const { json } of answers.filter((answer) => !answer.json.success)) {
      t.match(json, { code: /^(captcha_required|pow_insufficient)$/, captcha_required: true });
    }
  });
});

t.test('a counted attempt is withdrawn by its id, and cleared by a success', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work } = await openHostApi(t, store);
    const attempt = async () => (await verify({ ...(await work()), key: KEY, count: true })).json;
    const first = await attempt();
    t.match(first, { success: true, failures: 1 });
    await call('DELETE', '/host/failures', { key: KEY, try: first.try });
    const second = await attempt();
    t.match(second, { success: true, failures: 1 });
    t.match(await attempt(), { success: false, code: 'pow_insufficient' });
    await call('DELETE', '/host/failures', { key: KEY, ip: IP });
    t.match(await attempt(), { success: true, failures: 1 });
  });
});

t.test('an attempt after a hundred failures reports the hundredth failure, not the 101st', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work, image } = await openHostApi(t, store, { CAPTCHA_POW_MAX_DIFFICULTY: '4' });
    let scope = '';
    for (let i = 0; i < 100; i++) scope = (await call('POST', '/host/failures', { key: KEY })).json.pow_scope;
    const fields = { ...(await work(`?scope=${scope}`)), ...(await image()) };
    t.match((await verify({ ...fields, key: KEY, count: true })).json, { success: true, failures: 100 });
  });
});

t.test('a repeated attempt under its idempotency key counts once and gets the same response', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work } = await openHostApi(t, store);
    const scope = (await call('POST', '/host/failures', { key: 'another' })).json.pow_scope;
    t.type(scope, 'string');
    const body = { ...(await work()), key: KEY, ip: IP, count: true, idempotency_key: 'attempt 1' };
    const first = await verify(body);
    t.match(first.json, { success: true, failures: 1 });
    for (let i = 0; i < 3; i++) {
      const { pow_scope: _, ...again } = (await verify(body)).json;
      const { pow_scope: __, ...before } = first.json;
      t.strictSame(again, before);
    }
    const parallel = await Promise.all(Array.from({ length: PARALLEL }, () => verify(body)));
    t.strictSame(new Set(parallel.map(({ json }) => json.try)), new Set([first.json.try]));
    t.equal((await call('POST', '/host/failures', { key: KEY })).json.failures, 2);
    const others = await verify({ ...(await work()), key: KEY, count: true, idempotency_key: 'attempt 2' });
    t.match(others.json, { success: false, code: 'pow_insufficient' });
  });
});

t.test('a form without work was rejected for an image that no response required', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, image } = await openHostApi(t, store);
    const attempt = { key: KEY, count: true, ip: IP, pow: false };
    for (const required of [false, true]) {
      t.match((await verify(attempt)).json, { success: true, captcha_required: required });
    }
    const refused = (await verify(attempt)).json;
    t.match(refused, { success: false, code: 'captcha_required', captcha_required: true });
    t.strictSame(refused.captcha_alternatives, ['effort']);
    t.match((await verify({ ...attempt, ...(await image()) })).json, { success: true });
  });
});

t.test('an image-only form needs no work', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, image } = await openHostApi(t, store);
    const alone = { pow: false, image: 'demanded' };
    const both = { captcha_token: ['This field is required.'], captcha: ['This field is required.'] };
    t.strictSame((await verify(alone)).json, {
      success: false,
      message: 'Please also complete the additional check.',
      code: 'captcha_required',
      errors: both,
      captcha_required: true,
      captcha_alternatives: ['effort'],
    });
    t.match((await verify({ ...alone, image: 'required' })).json, {
      success: false,
      code: 'captcha_invalid',
      errors: both,
      captcha_required: true,
    });
    const fields = await image();
    t.match((await verify({ ...fields, ...alone })).json, { success: true, captcha_required: true });
    t.match((await verify({ ...fields, ...alone })).json, { success: false, code: 'captcha_invalid' });
    t.match((await verify({ ...(await image()), captcha: 'wrong', ...alone })).json, {
      success: false,
      message: String,
      code: 'captcha_invalid',
      captcha_required: true,
    });
  });
});

t.test('an application can forward its whole form, and no field is read as a setting', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work } = await openHostApi(t, store);
    const form = { email: KEY, password: 'x', tags: [1], nested: { a: null } };
    t.match((await verify({ submission: { ...form, ...(await work()) }, key: KEY })).json, { success: true });
    const evil = { pow: false, count: false, key: 'other', ip: 'x', idempotency_key: 'mine', image: 7 };
    t.match((await verify({ submission: { ...form, ...evil }, key: KEY })).json, {
      success: false,
      code: 'pow_invalid',
      errors: { pow_token: [String], pow_nonce: [String] },
    });
    const twice = { ...form, ...evil, ...(await work()) };
    t.match((await verify({ submission: twice })).json, { success: true });
    t.match((await verify({ submission: twice })).json, { success: false });
    for (const submission of [null, [], 'text', 5, true]) {
      t.match((await verify({ submission })).json, { success: false, code: 'pow_invalid' });
    }
    const flat = await verify({ ...form, ...(await work()), key: KEY });
    t.match(
      [flat.status, flat.json.success],
      [200, true],
      'other fields next to the settings are ignored too',
    );
  });
});

t.test('a rejected preset and insufficient work have their own error codes', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work, image } = await openHostApi(t, store);
    const large = { pow: false, image: 'required', presets: ['large'] };
    t.strictSame((await verify({ ...(await image()), ...large })).json, {
      success: false,
      message: 'Please complete the additional check that this form requires.',
      code: 'preset_refused',
      errors: { captcha_token: ['This is not the additional check that this form requires.'] },
      captcha_required: true,
      captcha_presets: ['large'],
    });
    t.match((await verify({ ...(await image()), ...large, presets: ['large', 'default'] })).json, {
      success: true,
      captcha_presets: ['large', 'default'],
    });
    const easy = await verify({ ...(await work()), min_difficulty: 5 });
    t.match(easy.json, {
      success: false,
      code: 'pow_insufficient',
      errors: { pow_nonce: ['The security check was too easy for this form.'] },
      pow_min_difficulty: 5,
    });
    const { pow_min_difficulty: bits } = easy.json;
    t.match((await verify({ ...(await work(`?min_difficulty=${bits}`)), min_difficulty: 5 })).json, {
      success: true,
    });
  });
});

t.test(
  'a request for harder work gets it, up to the maximum, and nothing else changes the price',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { app, call } = await openHostApi(t, store, {
        CAPTCHA_POW_DIFFICULTY: '4',
        CAPTCHA_POW_MAX_DIFFICULTY: '9',
      });
      const difficulty = async (query: string) =>
        (await app.inject({ url: `/api/captcha/pow?${query}`, remoteAddress: IP })).json().difficulty;
      for (const [asked, bits] of [
        ['6', 6],
        ['4', 4],
        ['3', 4],
        ['0', 4],
        ['9', 9],
        ['24', 9],
        ['99', 9],
      ] as const) {
        t.equal(await difficulty(`min_difficulty=${asked}`), bits, asked);
      }
      for (const asked of ['', '-6', '6.5', '0x6', '100', 'six', '6&min_difficulty=7', '%00']) {
        t.equal(await difficulty(`min_difficulty=${asked}`), 4, asked);
      }
      const { pow_scope: scope } = (await call('POST', '/host/failures', { key: KEY })).json;
      t.equal(await difficulty(`scope=${scope}`), 6);
      t.equal(await difficulty(`scope=${scope}&min_difficulty=5`), 6, 'the account requires more');
      t.equal(await difficulty(`scope=${scope}&min_difficulty=7`), 7, 'and it is not added to that');
    });
  },
);

t.test('a counted attempt takes one command more than a check with an account', async (t) => {
  const { store, redis } = await redisStore(t);
  const { call, verify, work } = await openHostApi(t, store);
  await verify({ ...(await work()), key: 'warm-up', count: true });
  const body = { ...(await work()), key: KEY, count: true, idempotency_key: 'x' };
  t.equal((await redis.commands(() => verify(body))).length, 3);
  t.equal((await call('POST', '/host/failures', { key: KEY })).json.failures, 2);
});

t.test('a counted attempt that passes tells the address the next price', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work } = await openHostApi(t, store);
    const attempt = async () => (await verify({ ...(await work()), key: KEY, count: true, ip: IP })).json;
    t.match(await attempt(), { success: true, failures: 1 });
    // Work without a ticket, from the same address: the remembered price covers the failure.
    t.match(await attempt(), { success: true, failures: 2 });
  });
});

t.test('a misspelt or wrongly nested setting counted nothing', async (t) => {
  const { store } = await redisStore(t);
  const { verify, work } = await openHostApi(t, store);
  const fields = await work();
  for (const [body, name] of [
    [{ submission: fields, key: KEY, counts: true }, 'counts'],
    [{ submission: fields, pow_token: 'x' }, 'pow_token'],
    [{ ...fields, key: KEY, cuont: true }, 'cuont'],
    [{ ...fields, minDifficulty: 20 }, 'minDifficulty'],
    [{ ...fields, 'Idempotency-Key': 'x' }, 'Idempotency-Key'],
    [{ form: fields, key: KEY }, 'form'],
  ] as const) {
    const { status, json } = await verify(body);
    t.match([status, json.code, Object.keys(json.errors)], [422, 'validation_failed', [name]], name);
  }
  const form = { ...fields, email: 'x', counter: '1', preset: 'a', rows: [1], remember: true };
  t.match(await verify(form), { status: 200, json: { success: true } }, 'a whole form passes');
});

// A custom challenge type that fails while an answer is verified.

const own: VerifiedType = {
  name: 'own',
  maxAnswerCharacters: 20,
  hasMinimumTime: false,
  issue: () => ({ rest: REST }),
  verify: (rest) => JSON.parse(rest),
};

t.test(
  'answer leak: a challenge type that throws is a 500 without its message, in the response and in the log',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { verify, work, log } = await openHostApi(t, store, { CHALLENGE_SECRET }, [own]);
      const token = 'K'.repeat(40);
      await openChallengeStore(store, 'captcha').issueImage({
        token,
        address: 'a'.repeat(32),
        limit: { max: 10, windowMs: 60_000 },
        recordTail: encodeVerifiedTail({
          verifiedBy: 'verify',
          type: own.name,
          keyId: openKeyRing(CHALLENGE_SECRET).current.id,
          address: null,
          rest: REST,
        }),
        expireSeconds: 120,
      });
      const { status, json } = await verify({ ...(await work()), captcha_token: token, captcha: 'x' });
      t.strictSame(
        { status, json },
        { status: 500, json: { message: json.message, code: 'internal_error' } },
      );
      t.notMatch(json.message, 'k7mxqp');
      t.match(log(), 'verify of the kind own threw SyntaxError');
      t.notMatch(log(), 'k7mxqp');
    });
  },
);

// Passes, and the commands that create, list and revoke them.

t.test("an application accepts its client's pass", async (t) => {
  await eachKind(t, async (t, { store, url }) => {
    const passes = (...args: string[]) =>
      callCommand(() => runCaptcha(['passes', ...args], { STORE_URL: url }));
    const api = await openHostApi(t, store);
    const make = ['make', 'uptime', '--application', 'shop', '--days', '2', '--per-minute', '2'];
    const made = await passes(...make);
    t.match(made, { code: 0, error: '' });
    const [pass = '', about] = made.out.split('\n');
    t.match(pass, /^tgp_uptime_[A-Za-z0-9]{43}$/);
    t.match(about, /^for shop, 2 a minute, until \d{4}-\d\d-\d\dT\d\d:\d\dZ$/);
    t.match(await passes(...make), { code: 1, out: '', error: /there is a pass named uptime/ });
    t.equal((await passes('list')).out, `uptime  ${about}\n`);

    const shop = { key: SHOP_KEY };
    const verify = async (body: object) => (await api.verify(body, shop)).json;
    t.match(await verify({ captcha_pass: pass, key: 'someone', count: true }), {
      success: true,
      failures: 1,
    });
    const once = { captcha_pass: pass, idempotency_key: 'once' };
    t.match(await verify(once), { success: true });
    t.match(await verify(once), { success: true }, 'a repetition counts once');
    t.match(await verify({ captcha_pass: pass }), {
      success: false,
      code: 'pass_exhausted',
      retry_after: Number,
      captcha_required: false,
    });
    t.match((await api.verify({ captcha_pass: pass })).json, { success: false, code: 'pass_invalid' });
    t.match(await verify({ captcha_pass: { a: 1 } }), { code: 'pass_invalid' });
    t.match(await verify({ captcha_pass: pass, pow: false }), { success: true }, 'nothing to stand in for');
    t.notOk(api.log().includes(pass.slice(-43)), 'neither log nor audit stream has it');
    t.match(api.log(), /"event":"pass_used","application":"shop","pass":"uptime"/);

    t.equal((await passes('revoke', 'uptime')).out, 'revoked uptime: it is rejected from now on\n');
    t.match(await passes('revoke', 'uptime'), { code: 1, error: /there is no pass named uptime/ });
    t.match(await verify({ captcha_pass: pass }), { code: 'pass_invalid' });
    t.equal((await passes('list')).out, 'there are no passes\n');
  });
});

t.test('a wrong command line changes nothing', async (t) => {
  const url = `file:${tempDir(t)}/store.db`;
  const options = ['--application', 'shop', '--days', '2', '--per-minute', '2'];
  const wrong: [string[], RegExp][] = [
    [[], /usage/],
    [['make'], /usage/],
    [['make', 'Up', ...options], /NAME must have/],
    [['make', 'uptime', ...options.slice(2)], /--application must have/],
    [['make', 'uptime', ...options, '--application', 'gate'], /it accepts no passes/],
    [['make', 'uptime', ...options, '--days', '731'], /--days must be a whole number from 1 to 730/],
    [['make', 'uptime', ...options, '--per-minute', '0'], /--per-minute must be a whole number/],
    [['make', 'uptime', ...options, '--days', '02'], /--days must be a whole number/],
    [['make', 'uptime', ...options.slice(0, 4)], /--per-minute must be a whole number from 1 to 10000/],
    [['make', 'uptime', ...options, '--count', '3'], /usage/],
    [['make', 'uptime', 'more', ...options], /usage/],
    [['list', 'uptime'], /usage/],
    [['revoke'], /usage/],
    [['revoke', 'uptime', '--days', '1'], /usage/],
  ];
  for (const [args, message] of wrong) {
    const answer = await callCommand(() => runCaptcha(['passes', ...args], { STORE_URL: url }));
    t.match(answer, { code: 2, out: '', error: message }, args.join(' '));
  }
  const store = openStore(url, '.');
  t.teardown(() => store.close());
  t.match(await callCommand(() => runCaptcha(['passes', 'list'], { STORE_URL: url })), {
    out: 'there are no passes\n',
  });
});

t.test('an unreachable store is named', async (t) => {
  const STORE_URL = `redis://127.0.0.1:${await freePort()}/0`;
  t.strictSame(await callCommand(() => runCaptcha(['passes', 'list'], { STORE_URL })), {
    code: 1,
    out: '',
    error: 'captcha: the store of STORE_URL is unreachable\n',
  });
});
