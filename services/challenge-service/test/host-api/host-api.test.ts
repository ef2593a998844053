// The host API: authentication, verification, counting, and the same verdict for a retry.

import { ConfigurationError } from '@tollgate/shared/config';
import { eachKind, redisStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { readChallengeConfig } from '../../src/config.js';
import { HOST_KEY, IP, openHostApi, SHOP_KEY } from './host-api-server.js';

const KEY = 'someone@example.com';
const ROUTES = [
  ['POST', '/host/verify'],
  ['POST', '/host/failures'],
  ['DELETE', '/host/failures'],
] as const;
const consumed = {
  success: false,
  message: 'The security check has failed. Please try again.',
  code: 'pow_invalid',
  errors: { pow_nonce: ['The security check was not solved.'] },
};

t.test('the host API rejects a call without a key before parsing', async (t) => {
  const { store, redis } = await redisStore(t);
  const { admin, call } = await openHostApi(t, store);
  const refused = { message: 'Missing or invalid host key.', code: 'host_key_invalid' };
  const headers = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${HOST_KEY}`,
    HOST_KEY,
    `Bearer ${HOST_KEY}x`,
    `Bearer ${HOST_KEY.slice(1)}`,
    `Bearer ${HOST_KEY.toUpperCase()}`,
    `Bearer ${HOST_KEY},${SHOP_KEY}`,
    `Bearer ${'x'.repeat(5000)}`,
  ];
  const sent = await redis.commands(async () => {
    for (const [method, url] of ROUTES) {
      for (const authorization of headers) {
        for (const payload of ['{"key":"x"}', '{', 'x'.repeat(20_000)]) {
          const answer = await admin.inject({
            method,
            url,
            payload,
            headers: {
              'content-type': 'application/json',
              ...(authorization === undefined ? {} : { authorization }),
            },
          });
          t.equal(answer.statusCode, 401, `${method} ${url} ${authorization?.slice(0, 60)}`);
          t.strictSame(answer.json(), refused);
          t.equal(answer.headers['www-authenticate'], 'Bearer');
        }
      }
    }
  });
  t.strictSame(sent, [], 'the store was not asked');
  t.equal((await call('POST', '/host/verify', {})).status, 200);
  const lower = await call(
    'POST',
    '/host/verify',
    {},
    { key: '', headers: { authorization: `bearer ${HOST_KEY}` } },
  );
  t.equal(lower.status, 200, 'the name of the scheme is case-insensitive');
});

t.test('without keys the routes do not exist, and the public port never serves them', async (t) => {
  const { store } = await redisStore(t);
  const { call } = await openHostApi(t, store, { HOST_API_KEY: '', HOST_API_KEYS: '' });
  for (const [method, path] of ROUTES) {
    const answer = await call(method, path, { key: KEY });
    t.strictSame([answer.status, answer.json.code], [404, 'not_found']);
  }
  const { app } = await openHostApi(t, store);
  for (const [method, url] of ROUTES) {
    const headers = { authorization: `Bearer ${HOST_KEY}` };
    t.equal((await app.inject({ method, url, headers, payload: { key: KEY } })).statusCode, 404);
  }
});

const SECRET_OF_TABLE = '0123456789abcdefghijklmnopqrstuv';

t.test('errors in the keys stop the start, with a line for each', async (t) => {
  const base = { PUBLIC_URL: 'http://localhost', CHALLENGE_SECRET: SECRET_OF_TABLE };
  const lines = (variables: Record<string, string>) => {
    try {
      readChallengeConfig({ ...base, ...variables });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.lines;
    }
    return [];
  };
  t.strictSame(lines({ HOST_API_KEY: HOST_KEY, HOST_API_KEYS: `shop:${SHOP_KEY}` }), []);
  t.strictSame(lines({ HOST_API_KEY: SECRET_OF_TABLE }), [
    'HOST_API_KEY must differ from every other secret',
  ]);
  t.equal(lines({ HOST_API_KEY: 'short', HOST_API_KEYS: `login:${SHOP_KEY},default:${SHOP_KEY}` }).length, 4);
});

t.test('a proof of work passes once', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work } = await openHostApi(t, store);
    const fields = await work();
    const first = await verify(fields);
    t.strictSame([first.status, first.json], [200, { success: true, captcha_required: false }]);
    const second = await verify(fields);
    t.strictSame([second.status, second.json], [200, { ...consumed, captcha_required: false }]);
    t.match(second.headers, { 'cache-control': 'no-store', 'x-captcha-test-mode': '1' });
  });
});

t.test('a failed challenge returns the code and errors of a guarded route', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work } = await openHostApi(t, store);
    const none = await verify({});
    t.strictSame(none.json, {
      success: false,
      message: 'The security check has failed. Please try again.',
      code: 'pow_invalid',
      errors: { pow_token: ['This field is required.'], pow_nonce: ['This field is required.'] },
      captcha_required: false,
    });
    const { pow_token } = await work();
    for (const pow_nonce of [7, null, '', '01', '-1', '1e3', ' 1', '٣', '1'.repeat(25), {}, ['1']]) {
      const { status, json } = await verify({ pow_token, pow_nonce });
      t.strictSame([status, json.success, json.code], [200, false, 'pow_invalid'], JSON.stringify(pow_nonce));
      t.strictSame(Object.keys(json.errors), ['pow_nonce']);
    }
    const french = await verify({}, { headers: { 'accept-language': 'fr' } });
    t.strictSame(french.json.errors.pow_token, ['Ce champ est obligatoire.']);
    t.equal(french.json.message, 'La vérification de sécurité a échoué. Veuillez réessayer.');
    t.equal(french.headers['content-language'], 'fr');
    t.match((await verify({ ...(await work()), captcha_token: 'short' })).json, {
      code: 'captcha_invalid',
      errors: { captcha_token: [String], captcha: [String] },
    });
  });
});

t.test('API parameters are validated: 422 as everywhere', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, work } = await openHostApi(t, store);
    const fields = await work();
    const table: [(typeof ROUTES)[number], unknown, Record<string, RegExp>][] = [
      [ROUTES[0], undefined, { body: /wrong type/ }],
      [ROUTES[0], [], { body: /wrong type/ }],
      [ROUTES[0], { ...fields, key: 7 }, { key: /wrong type/ }],
      [ROUTES[0], { ...fields, key: '' }, { key: /required/ }],
      [ROUTES[0], { ...fields, key: 'x'.repeat(513) }, { key: /too long/ }],
      [ROUTES[0], { ...fields, ip: 'nowhere' }, { ip: /wrong format/ }],
      [ROUTES[0], { ...fields, ip: '1' }, { ip: /wrong format/ }],
      [ROUTES[0], { ...fields, ip: '0x7f.1' }, { ip: /wrong format/ }],
      [ROUTES[0], { ...fields, ip: 'x', key: 7 }, { key: /wrong type/, ip: /wrong format/ }],
      [ROUTES[0], { ...fields, ip: '1'.repeat(65) }, { ip: /too long/ }],
      [ROUTES[0], { ...fields, ip: null }, { ip: /wrong type/ }],
      [ROUTES[0], { ...fields, idempotency_key: 'x'.repeat(256) }, { idempotency_key: /too long/ }],
      [ROUTES[0], { ...fields, count: true }, { key: /required/ }],
      [ROUTES[0], { ...fields, count: 'yes', key: KEY }, { count: /wrong type/ }],
      [ROUTES[0], { ...fields, pow: 0 }, { pow: /wrong type/ }],
      [ROUTES[0], { ...fields, image: 'always' }, { image: /wrong/ }],
      [ROUTES[0], { ...fields, presets: [] }, { presets: /wrong/ }],
      [ROUTES[0], { ...fields, presets: 'large' }, { presets: /wrong type/ }],
      [ROUTES[0], { ...fields, presets: ['../x'] }, { 'presets.0': /wrong format/ }],
      [ROUTES[0], { ...fields, min_difficulty: 25 }, { min_difficulty: /outside/ }],
      [ROUTES[1], undefined, { body: /wrong type/ }],
      [ROUTES[1], {}, { key: /required/ }],
      [ROUTES[1], { key: KEY, ip: 'x' }, { ip: /wrong format/ }],
      [ROUTES[2], {}, { key: /required/ }],
      [ROUTES[2], { key: KEY, ip: 'x' }, { ip: /wrong format/ }],
      [ROUTES[2], { ip: 'x', try: 'x' }, { key: /required/, ip: /wrong format/, try: /wrong format/ }],
      [ROUTES[2], { key: KEY, try: 'x' }, { try: /wrong format/ }],
      [ROUTES[2], { key: KEY, ip: IP, try: 'a'.repeat(32) }, { ip: /Unknown/ }],
    ];
    for (const [[method, path], body, errors] of table) {
      const { status, json } = await call(method, path, body);
      t.strictSame(
        [status, json.code],
        [422, 'validation_failed'],
        `${method} ${path} ${JSON.stringify(body)}`,
      );
      t.strictSame(Object.keys(json.errors), Object.keys(errors));
      for (const [field, words] of Object.entries(errors)) t.match(json.errors[field][0], words);
    }
    t.equal((await call('POST', '/host/verify', fields)).json.success, true, 'the work is not consumed');
    const headers = { 'content-type': 'text/plain' };
    t.equal((await call('POST', '/host/verify', 'x', { headers })).status, 415);
    const json = { 'content-type': 'application/json' };
    t.equal((await call('POST', '/host/verify', '{', { headers: json })).status, 400);
    t.equal((await call('POST', '/host/verify', '{"__proto__":{}}', { headers: json })).status, 400);
    t.equal((await call('POST', '/host/verify', `"${'x'.repeat(20_000)}"`, { headers: json })).status, 413);
  });
});

t.test('the API reports at most one hundred failures per account', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call } = await openHostApi(t, store);
    const record = async () => (await call('POST', '/host/failures', { key: KEY })).json.failures;
    for (let i = 1; i <= 100; i++) t.equal(await record(), i);
    t.equal(await record(), 100);
    t.equal(await record(), 100);
  });
});

t.test('account failures require an image and harder work', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work, image } = await openHostApi(t, store);
    const first = await call('POST', '/host/failures', { key: KEY });
    t.equal(first.status, 200);
    t.match(first.json, {
      failures: 1,
      captcha_required: false,
      pow_scope: /^[\w-]{74}$/,
      try: /^[0-9a-f]{32}$/,
    });
    t.strictSame(Object.keys(first.json).sort(), ['captcha_required', 'failures', 'pow_scope', 'try']);
    const cheap = await verify({ ...(await work()), key: KEY });
    t.match(cheap.json, { success: false, code: 'pow_insufficient', captcha_required: false });
    t.match(cheap.json.errors, { pow_nonce: ['The security check was too easy for this account.'] });

    const scope = `?scope=${cheap.json.pow_scope}`;
    t.match((await verify({ ...(await work(scope)), key: KEY })).json, { success: true });
    const second = await call('POST', '/host/failures', { key: KEY });
    t.match(second.json, { failures: 2, captcha_required: true, captcha_alternatives: ['effort'] });
    const demanded = await verify({ ...(await work(scope)), key: KEY });
    t.match(demanded.json, {
      success: false,
      code: 'captcha_required',
      errors: { captcha_token: ['This field is required.'], captcha: ['This field is required.'] },
      captcha_required: true,
      captcha_alternatives: ['effort'],
    });
    t.match((await verify({ ...(await work(scope)), ...(await image()), key: KEY })).json, {
      success: true,
      captcha_required: true,
    });
    const wrong = { ...(await image()), captcha: 'wrong' };
    t.match((await verify({ ...(await work()), ...wrong })).json, {
      success: false,
      code: 'captcha_invalid',
    });
    t.match((await verify({ ...(await work()), key: 'other@example.com' })).json, {
      success: true,
      captcha_required: false,
    });
  });
});

t.test("an attempt's id withdraws its failure; a success clears the account", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call } = await openHostApi(t, store);
    const record = async () => (await call('POST', '/host/failures', { key: KEY })).json;
    const { try: id } = await record();
    t.equal((await record()).failures, 2);
    for (let i = 0; i < 2; i++) {
      const withdrawn = await call('DELETE', '/host/failures', { key: KEY, try: id });
      t.strictSame([withdrawn.status, withdrawn.json], [204, undefined]);
    }
    t.equal((await record()).failures, 2);
    t.equal((await call('DELETE', '/host/failures', { key: KEY, ip: IP })).status, 204);
    t.equal((await record()).failures, 1);
    await call('DELETE', '/host/failures', { key: KEY });
    t.equal((await record()).failures, 1);
  });
});

t.test("an application can neither read nor clear another's counters", async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { call, verify, work } = await openHostApi(t, store);
    const shop = { key: SHOP_KEY };
    for (let i = 1; i <= 3; i++) {
      t.equal((await call('POST', '/host/failures', { key: KEY })).json.failures, i);
    }
    t.equal((await call('POST', '/host/failures', { key: KEY }, shop)).json.failures, 1);
    t.equal((await call('DELETE', '/host/failures', { key: KEY }, shop)).status, 204);
    const { try: id } = (await call('POST', '/host/failures', { key: KEY })).json;
    await call('DELETE', '/host/failures', { key: KEY, try: id }, shop);
    t.match((await verify({ ...(await work()), key: KEY }, shop)).json, {
      success: true,
      captcha_required: false,
    });
    t.match((await verify({ ...(await work()), key: KEY })).json, { success: false, captcha_required: true });
    t.equal((await call('POST', '/host/failures', { key: KEY })).json.failures, 5);
  });
});

t.test(
  'a retry under one idempotency key gets the same verdict, any other submission does not',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { verify, work, image } = await openHostApi(t, store);
      const fields: Record<string, string> = { ...(await work()), ...(await image()) };
      const body = { ...fields, idempotency_key: 'order 7' };
      const first = await verify(body);
      t.equal(first.json.success, true);
      for (let i = 0; i < 3; i++) t.strictSame((await verify(body)).json, first.json);
      for (const change of [
        { idempotency_key: 'order 8' },
        { idempotency_key: 'order 7 ' },
        { idempotency_key: undefined },
        { key: KEY },
        { ip: IP },
        { captcha: `${fields.captcha} ` },
        { pow_nonce: `${Number(fields.pow_nonce) + 1}` },
      ]) {
        t.equal((await verify({ ...body, ...change })).json.success, false, JSON.stringify(change));
      }
      t.equal((await verify(body, { key: SHOP_KEY })).json.success, false, 'nor for another application');
      t.strictSame((await verify(body)).json, first.json);

      const wrong = { ...(await work()), ...(await image()), captcha: 'wrong', idempotency_key: 'order 9' };
      const refused = await verify(wrong);
      t.match(refused.json, { success: false, code: 'captcha_invalid' });
      t.strictSame((await verify(wrong)).json, refused.json);
    });
  },
);

t.test('min_seconds applies up to the first attempt, not up to its retry', async (t) => {
  await eachKind(t, async (t, { store, age }) => {
    const { verify, work, image } = await openHostApi(t, store, { CAPTCHA_MIN_SECONDS: '10' });
    const body = { ...(await work()), ...(await image()), idempotency_key: 'x' };
    t.equal((await verify(body)).json.code, 'captcha_invalid');
    await age(11_000);
    t.equal((await verify(body)).json.code, 'captcha_invalid');
  });
});

t.test(
  'with bind_ip a submission without the matching address fails, and its challenge is consumed',
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const { verify, work } = await openHostApi(t, store, { CAPTCHA_BIND_IP: 'true' });
      t.equal((await verify({ ...(await work()), ip: IP })).json.success, true);
      t.equal(
        (await verify({ ...(await work()), ip: `::ffff:${IP}` })).json.success,
        true,
        'the same address',
      );
      t.equal((await verify({ ...(await work()), ip: '203.0.113.8' })).json.code, 'pow_invalid');
      const unknown = await work();
      t.equal((await verify(unknown)).json.code, 'pow_invalid');
      t.equal((await verify({ ...unknown, ip: IP })).json.code, 'pow_invalid');
    });
  },
);

t.test('the fields have the configured names', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const { verify, work, image, call } = await openHostApi(t, store, {
      CAPTCHA_POW_FIELDS_TOKEN: 'work',
      CAPTCHA_POW_FIELDS_NONCE: 'number',
      CAPTCHA_FIELDS_TOKEN: 'picture',
      CAPTCHA_FIELDS_ANSWER: 'letters',
    });
    const body = { ...(await work()), ...(await image()) };
    t.strictSame(Object.keys(body), ['work', 'number', 'picture', 'letters']);
    t.equal((await verify(body)).json.success, true);
    t.strictSame(Object.keys((await verify({})).json.errors), ['work', 'number']);
    t.strictSame(Object.keys((await verify({ pow_token: 'x' })).json.errors), ['work', 'number']);
    const document = (await call('GET', '/openapi.json', undefined, { key: '' })).json;
    const { schema } = document.paths['/host/verify'].post.requestBody.content['application/json'];
    const own = ['submission', 'key', 'ip', 'idempotency_key', 'count', 'pow', 'image', 'presets'];
    const demands = ['algorithms', 'captcha_pass', 'at_least', 'min_difficulty'];
    t.strictSame(Object.keys(schema.properties), [...Object.keys(body), ...own, ...demands]);
  });
});

t.test("the admin port's OpenAPI document describes the host API", async (t) => {
  const { store } = await redisStore(t);
  const { call, verify, work } = await openHostApi(t, store);
  const { status, json } = await call('GET', '/openapi.json', undefined, { key: '' });
  t.equal(status, 200);
  t.match(json, { openapi: /^3\.1/, components: { securitySchemes: { hostKey: { scheme: 'bearer' } } } });
  for (const [method, path] of ROUTES) {
    const route = json.paths[path][method.toLowerCase()];
    t.strictSame(route.security, [{ hostKey: [] }]);
    t.type(route.summary, 'string');
  }
  const { schema } = json.paths['/host/verify'].post.responses['200'].content['application/json'];
  const known = json.components.schemas[schema.$ref.split('/').at(-1)].properties;
  const seen = { ...(await verify({ key: KEY })).json, ...(await verify(await work())).json };
  for (const field of Object.keys(seen)) t.ok(field in known, field);
});

t.test('a check takes one command per challenge, and one more with an account', async (t) => {
  const { store, redis } = await redisStore(t);
  const { call, verify, work, image } = await openHostApi(t, store);
  const { try: id } = (await call('POST', '/host/failures', { key: 'warm-up' })).json;
  await call('DELETE', '/host/failures', { key: 'warm-up', try: id });
  await call('DELETE', '/host/failures', { key: 'warm-up', ip: IP });
  await verify({ ...(await work()), ...(await image()), key: KEY });
  const both = async () => ({ ...(await work()), ...(await image()) });
  const costs = async (what: object, of = verify) => {
    const commands = await redis.commands(() => of(what));
    return commands.length;
  };
  t.equal(await costs(await work()), 1);
  t.equal(await costs(await both()), 2);
  t.equal(await costs({ ...(await both()), key: KEY, ip: IP, idempotency_key: 'x' }), 3);
  t.equal(await costs({}), 0);
  t.equal(await costs({ pow_token: 'x', pow_nonce: '1', key: KEY }), 0);
  t.equal(await costs({ key: KEY }, (body) => call('POST', '/host/failures', body)), 1);
  t.equal(await costs({ key: KEY }, (body) => call('DELETE', '/host/failures', body)), 1);
  t.equal(await costs({ key: KEY, ip: IP }, (body) => call('DELETE', '/host/failures', body)), 2);
});

t.test('an unavailable store is a 503, and no challenge is knowingly consumed', async (t) => {
  const { store, redis } = await redisStore(t);
  const { call, verify, work } = await openHostApi(t, store);
  const body = { ...(await work()), key: KEY };
  await redis.stop();
  for (const [method, path] of ROUTES) {
    const answer = await call(method, path, path === '/host/verify' ? body : { key: KEY });
    t.strictSame([answer.status, answer.json.code], [503, 'store_unavailable']);
    t.equal(answer.headers['retry-after'], '1');
  }
  t.equal((await verify({})).json.code, 'pow_invalid', 'a malformed submission needs no store');
});

t.test('the log contains no keys, accounts, addresses or challenges', async (t) => {
  const { store } = await redisStore(t);
  const { call, verify, work, log } = await openHostApi(t, store);
  const fields = await work();
  await verify({ ...fields, key: KEY, ip: IP, idempotency_key: 'a secret of the host' });
  await verify({ ...fields, key: KEY, ip: IP });
  const { pow_scope: scope } = (await call('POST', '/host/failures', { key: KEY })).json;
  await call('POST', '/host/failures', { key: KEY }, { key: 'a wrong key of some length' });
  t.match(log(), /"host":"default".*challenge rejected/);
  for (const secret of [KEY, IP, HOST_KEY, fields.pow_token, scope, 'a secret of the host', 'a wrong key']) {
    t.notOk(log().includes(String(secret)), String(secret).slice(0, 12));
  }
});
