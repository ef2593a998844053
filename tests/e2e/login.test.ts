// POST /login in the order of its checks: origin, form, limit, delay, work, image, attempt, password.

import t, { type Test } from 'tap';
import { missSolution, solveEffort } from '../solving.js';
import type { Answer, Sent } from './client.js';
import { bodyOf, refusal, refusedLogIn, refusedUnproven } from './refusals.js';
import { CHEAP, onRedis, type Site } from './site.js';

const TOKEN = 'a'.repeat(40);
const COOKIE = /^refreshToken=[A-Za-z0-9%]+; Max-Age=604800; Path=\/refresh; HttpOnly; SameSite=Strict$/;
const DEVICE_COOKIE = /^knownDevice=[A-Za-z0-9%]+; Max-Age=7776000; Path=\/login; HttpOnly; SameSite=Strict$/;

t.test('login', (t) => onRedis(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  await t.test(
    'a success returns exactly the two fields, the session cookie and the device cookie',
    async (t) => {
      const user = await site.newUser();
      const answer = await site.tryLogIn(user);
      t.equal(answer.status, 200);
      t.strictSame(answer.json, { accessToken: answer.json.accessToken, expiresIn: 900 });
      t.match(answer.json.accessToken, /^[A-Za-z0-9%]+$/);
      t.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      t.equal(answer.headers['cache-control'], 'no-store');
      t.match(answer.cookies, [COOKIE, DEVICE_COOKIE]);
      t.equal(answer.cookies.length, 2);
      t.notMatch(answer.cookies.join(), /%25/, 'a cookie is encoded once');
      const [event] = (await site.events('login')).slice(-1);
      t.match(event, { uid: user.id, sid: /^[A-Za-z0-9]{22}$/, address: /^[0-9a-f]{32}$/ });
    },
  );

  await t.test('the address may be written with capitals, in wide letters and between spaces', async (t) => {
    const { id, email, password } = await site.newUser();
    const wide = email.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    for (const written of [`  ${email.toUpperCase()} `, wide]) {
      const { json } = await site.tryLogIn({ email: written, password });
      const profile = await site.gateway.get('/profile', bearer(json.accessToken));
      t.strictSame(profile.json, { id, email });
    }
  });

  await t.test('requests of other sites are rejected first', (t) => origins(t, site));
  await t.test('malformed requests are rejected before they cost anything', (t) => forms(t, site));
  await t.test('the work is verified', (t) => work(t, site));
  await t.test('the price follows the account', (t) => prices(t, site));
  await t.test('after two failures an image is required', (t) => images(t, site));
  await t.test('effort replaces a required image', (t) => effort(t, site));
  await t.test('known, unknown and disabled accounts cannot be distinguished', (t) => enumeration(t, site));
  await t.test('an address with repeated failures has to wait', (t) => delay(t, site));
  await t.test('a planted session does not survive', (t) => fixation(t, site));
}

async function origins(t: Test, site: Site): Promise<void> {
  const { address, gatewayPort: port } = site.system;
  const user = await site.newUser();
  const fields = await site.work();
  const submit = (headers: Sent['headers']) =>
    site.gateway.post('/login', { body: { ...user, ...fields }, headers: headers ?? {} });
  const foreign: Sent['headers'][] = [
    ...[
      'https://evil.example',
      'null',
      `http://localhost:${port}.evil.example`,
      `http://localhost.evil.example:${port}`,
      `http://evil-localhost:${port}`,
      `https://localhost:${port}`,
      `http://localhost:${port + 1}`,
      'http://localhost',
      `http://127.0.0.1:${port}`,
      `${address}/`,
      `${address}, https://evil.example`,
      address.toUpperCase(),
      '',
      '*',
    ].map((origin) => ({ origin })),
    { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'anything' },
    { origin: 'https://evil.example', 'content-type': 'text/plain' },
  ];
  for (const headers of foreign) {
    const answer = await submit(headers);
    t.equal(answer.status, 403, JSON.stringify(headers));
    t.strictSame(answer.json, refusal('origin_refused'));
    t.strictSame(answer.cookies, []);
  }
  t.equal(
    (await submit({ origin: address, 'sec-fetch-site': 'cross-site' })).status,
    200,
    'nothing was spent',
  );
  for (const headers of [
    { origin: address },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ]) {
    t.equal((await site.tryLogIn(user, { headers })).status, 200, JSON.stringify(headers));
  }
}

async function forms(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const user = await site.newUser();
  const { email, password } = user;
  const fields = await site.work();
  const image = await site.image();
  const send = (body: Sent['body'], type = 'application/json') =>
    gateway.post('/login', { body: body ?? '', headers: { 'content-type': type } });

  await t.test('e-mail and password', async (t) => {
    const nobody = (fields: Parameters<typeof refusedUnproven>[1]) =>
      refusedUnproven('validation_failed', fields);
    const table: [object, object][] = [
      [{ password, ...fields }, nobody({ email: 'required' })],
      [{ email, ...fields }, nobody({ password: 'required' })],
      [{ email: '', password, ...fields }, nobody({ email: 'required' })],
      [{ email: ' \t ', password, ...fields }, nobody({ email: 'malformed' })],
      [{ email, password: '', ...fields }, nobody({ password: 'required' })],
      ...[1, true, null, [], [email], { a: 1 }].map((wrong): [object, object] => [
        { email: wrong, password, ...fields },
        nobody({ email: 'type' }),
      ]),
      ...[1, null, [password]].map((wrong): [object, object] => [
        { email, password: wrong, ...fields },
        nobody({ password: 'type' }),
      ]),
      [[], nobody({ body: 'type' })],
    ];
    for (const [body, expected] of table) {
      const answer = await gateway.post('/login', { body });
      t.equal(answer.status, 422);
      t.strictSame(bodyOf(answer), expected, JSON.stringify(expected));
    }
    for (const text of ['null', '"text"', '1', '']) {
      const answer = await send(text);
      t.equal(answer.status, 422, text);
      t.strictSame(answer.json, refusedUnproven('validation_failed', { body: 'type' }), text);
    }
  });

  await t.test('all missing or wrong fields are named at once', async (t) => {
    const table: [object, Parameters<typeof refusedUnproven>[1]][] = [
      [{}, { email: 'required', password: 'required', pow_token: 'required', pow_nonce: 'required' }],
      [
        { email: ' ', password: 1 },
        { email: 'malformed', password: 'type', pow_token: 'required', pow_nonce: 'required' },
      ],
      [
        { email: 1, password: '', pow_token: 'x', pow_nonce: '-1', captcha: 'abc' },
        {
          email: 'type',
          password: 'required',
          pow_token: 'malformed',
          pow_nonce: 'malformed',
          captcha_token: 'required',
        },
      ],
      [
        { password, pow_nonce: '1' },
        { email: 'required', pow_token: 'required' },
      ],
    ];
    for (const [body, expected] of table) {
      const answer = await gateway.post('/login', { body });
      t.equal(answer.status, 422);
      const { errors } = refusedUnproven('validation_failed', expected) as { errors: object };
      t.strictSame(answer.json.errors, errors, JSON.stringify(body));
      t.equal(answer.json.code, 'validation_failed');
    }
    const long = { password: 'é'.repeat(513) };
    for (const [body, fields] of [
      [{ email, ...long }, ['password', 'pow_token', 'pow_nonce']],
      [long, ['email', 'password', 'pow_token', 'pow_nonce']],
    ] as const) {
      const answer = await gateway.post('/login', { body });
      t.strictSame(Object.keys(answer.json.errors), fields);
    }
  });

  await t.test('lengths: 254 characters of address, 1,024 bytes of password', async (t) => {
    const long = (limit: number) => [`This value is too long (maximum length: ${limit}).`];
    const refused = async (body: object) => {
      const answer = await gateway.post('/login', { body: { ...user, ...fields, ...body } });
      t.match(answer, { status: 422, json: { code: 'validation_failed', captcha_required: false } });
      return answer.json.errors;
    };
    t.strictSame(await refused({ email: `${'a'.repeat(250)}@b.example` }), { email: long(254) });
    t.strictSame(await refused({ password: 'a'.repeat(1025) }), { password: long(1024) });
    t.strictSame(
      await refused({ password: 'é'.repeat(513) }),
      { password: long(1024) },
      'bytes, not characters',
    );
    t.strictSame(await refused({ password: '😀'.repeat(257) }), { password: long(1024) });
    const longest = await site.tryLogIn({ email: site.newEmail(), password: 'é'.repeat(512) });
    t.equal(longest.json.code, 'login_failed');
  });

  await t.test('the fields of the challenges, in every combination', async (t) => {
    const wrong: [unknown, 'required' | 'malformed'][] = [
      [undefined, 'required'],
      ['', 'required'],
      [null, 'required'],
      [' ', 'malformed'],
      [7, 'malformed'],
      [[TOKEN], 'malformed'],
      [{}, 'malformed'],
      [true, 'malformed'],
    ];
    const tokens: [unknown, 'required' | 'malformed'][] = [
      ...wrong,
      [TOKEN.slice(1), 'malformed'],
      [`${TOKEN}a`, 'malformed'],
      [`${TOKEN.slice(1)}-`, 'malformed'],
      [` ${TOKEN.slice(1)}`, 'malformed'],
      [`${TOKEN}\n`, 'malformed'],
      ['a'.repeat(10_000), 'malformed'],
    ];
    const nonces: [unknown, 'required' | 'malformed'][] = [
      ...wrong,
      ...[
        '01',
        '-1',
        '+1',
        '1.0',
        '1e3',
        ' 1',
        '1 ',
        '0x1',
        '１',
        '٣',
        '1'.repeat(25),
        '00',
        '1\n',
        'NaN',
      ].map((nonce): [string, 'malformed'] => [nonce, 'malformed']),
    ];
    const refused = async (body: object, code: 'pow_invalid' | 'captcha_invalid', errors: object) => {
      const answer = await gateway.post('/login', { body: { email, password, ...body } });
      const { captcha_token, captcha } = body as Record<string, unknown>;
      const carriesImage = [captcha_token, captcha].some(
        (value) => ![undefined, null, ''].includes(value as ''),
      );
      t.strictSame(
        [answer.status, answer.json],
        [422, refusedUnproven(code, errors as Record<string, 'required'>, carriesImage)],
        JSON.stringify(body).slice(0, 80),
      );
    };
    for (const [pow_token, problem] of tokens) {
      await refused({ ...fields, pow_token }, 'pow_invalid', { pow_token: problem });
    }
    for (const [pow_nonce, problem] of nonces) {
      await refused({ ...fields, pow_nonce }, 'pow_invalid', { pow_nonce: problem });
    }
    for (const [pow_token, one] of wrong) {
      for (const [pow_nonce, other] of wrong) {
        await refused({ pow_token, pow_nonce }, 'pow_invalid', { pow_token: one, pow_nonce: other });
      }
    }
    for (const [captcha_token, problem] of tokens) {
      await refused({ ...fields, ...image, captcha_token }, 'captcha_invalid', { captcha_token: problem });
    }
    for (const [captcha, problem] of [...wrong, ['a'.repeat(417), 'malformed']] as const) {
      await refused({ ...fields, ...image, captcha }, 'captcha_invalid', { captcha: problem });
    }
    await refused({ captcha: 'x' }, 'pow_invalid', {
      pow_token: 'required',
      pow_nonce: 'required',
      captcha_token: 'required',
    });
  });

  await t.test('bodies that are not, or not only, JSON', async (t) => {
    const good = JSON.stringify({ ...user, ...fields });
    for (const text of [
      `{"__proto__":{"admin":true},${good.slice(1)}`,
      `${good.slice(0, -1)},"constructor":{"prototype":{}}}`,
      `{"a":{"__proto__":1},${good.slice(1)}`,
      good.slice(0, -1),
      `${good}}`,
      '{email:1}',
      '\u0000',
    ]) {
      const answer = await send(text);
      t.strictSame([answer.status, answer.json], [400, refusal('malformed_json')], text.slice(0, 40));
    }
    for (const type of [
      'text/plain',
      'text/plain; charset=utf-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'nonsense',
    ]) {
      const answer = await send(good, type);
      t.strictSame([answer.status, answer.json], [415, refusal('unsupported_media_type')], type);
    }
    const nameless = await gateway.post('/login', { body: good });
    t.equal(nameless.status, 415, 'no media type at all');
    const padded = `${good.slice(0, -1)},"padding":"${'x'.repeat(17 * 1024)}"}`;
    const large = await send(padded);
    t.strictSame([large.status, large.json], [413, refusal('body_too_large')]);
    t.equal((await send(`${good}${' '.repeat(16 * 1024)}`)).status, 413);
  });

  await t.test('none of these has spent the work, recorded a failure, or required a user', async (t) => {
    t.equal((await gateway.post('/login', { body: { ...user, ...fields, unknown_field: 1 } })).status, 200);
    t.equal((await gateway.get(`/api/captcha/${image.captcha_token}.png`)).status, 200);
    t.strictSame(
      await site.events('login_failed').then((events) => events.length),
      1,
      'except for the longest password',
    );
  });

  await t.test(
    'an address with control characters is invalid, lone surrogates are ordinary letters',
    async (t) => {
      for (const [strange, code] of [
        ['a\r\nX-Injected: 1@b.example', 'validation_failed'],
        ['a\u0000@b.example', 'validation_failed'],
        ['a\ud800@b.example', 'login_failed'],
        ['\u202e@b.example', 'login_failed'],
      ] as const) {
        const answer = await site.tryLogIn({ email: strange, password: strange });
        t.strictSame([answer.status, answer.json.code], [422, code], JSON.stringify(strange));
        t.equal(answer.headers['x-injected'], undefined);
      }
    },
  );
}

async function work(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const user = await site.newUser();
  const { email, password } = user;
  const fetchWork = async () => (await gateway.get('/api/captcha/pow')).json;
  const submit = (fields: object) => gateway.post('/login', { body: { email, password, ...fields } });
  const refused = (answer: Answer, hint: string, carriedImage = false) =>
    t.strictSame(
      [answer.status, answer.json, answer.cookies],
      [422, refusedUnproven('pow_invalid', { pow_nonce: 'wrong_work' }, carriedImage), []],
      hint,
    );

  const spent = await site.work();
  t.equal((await submit(spent)).status, 200);
  refused(await submit(spent), 'a second use of solved work');

  const missed = await fetchWork();
  refused(await submit({ pow_token: missed.token, pow_nonce: missSolution(missed) }), 'a wrong nonce');
  const solved = await site.work();
  refused(await submit({ ...solved, pow_token: missed.token }), 'work spent by a wrong nonce');
  refused(await submit({ ...solved, pow_token: TOKEN }), 'an unknown token');
  const { captcha_token: imageToken } = await site.image();
  refused(await submit({ ...solved, pow_token: imageToken }), 'the token of an image');

  const junk = { ...solved, pow_nonce: '01' };
  t.equal((await submit(junk)).status, 422);
  const bits = { difficulty: 0, algorithm: 'none', salt: '0'.repeat(32) };
  const other = await fetchWork();
  const nonce = missSolution(other);
  refused(
    await submit({ pow_token: other.token, pow_nonce: nonce, ...bits }),
    'a difficulty set by the client',
  );
  t.equal((await submit({ ...solved, ...bits })).status, 200, 'invalid fields had not spent it');

  const old = await site.work();
  await site.age(121_000);
  refused(await submit(old), 'expired work');

  const image = await site.image();
  const failing = await submit({ pow_token: TOKEN, pow_nonce: '1', ...image });
  refused(failing, 'failing work with a right image', true);
  t.equal((await site.tryLogIn(user, { body: image })).status, 200, 'has not spent the image');
  t.equal(await demandsImage(site, email), false, 'a bad challenge answer is no failure');
}

async function images(t: Test, site: Site): Promise<void> {
  const user = await site.newUser();
  const { email } = user;
  const wrong = { email, password: 'wrong' };
  const answers = (answer: Answer) => [answer.status, bodyOf(answer)];
  const failed = (required: boolean) => [422, refusedLogIn('login_failed', required)];

  t.strictSame(answers(await site.tryLogIn(wrong)), failed(false), 'the first failure');
  t.strictSame(answers(await site.tryLogIn(wrong)), failed(true), 'the second requires an image');
  const demanded = [
    422,
    refusedLogIn('captcha_required', true, { captcha_token: 'required', captcha: 'required' }),
  ];
  t.strictSame(answers(await site.tryLogIn(user)), demanded, 'the right password alone is not enough');
  const shapeless = await site.gateway.post('/login', { body: { email } });
  t.equal(shapeless.json.captcha_required, false, 'without work nothing is revealed of this account');
  const workless = await site.gateway.post('/login', { body: user });
  t.match(workless.json, { code: 'pow_invalid', captcha_required: false });

  const guessed = { ...(await site.image()), captcha: 'zzzzzz' };
  const invalid = [422, refusedLogIn('captcha_invalid', true, { captcha: 'wrong_answer' })];
  t.strictSame(answers(await site.tryLogIn(user, { body: guessed })), invalid, 'a wrong answer');
  t.strictSame(answers(await site.tryLogIn(user, { body: guessed })), invalid, 'a spent image');
  const { captcha } = await site.image();
  const spent = { captcha_token: guessed.captcha_token, captcha };
  t.strictSame(answers(await site.tryLogIn(user, { body: spent })), invalid);

  const image = await site.image();
  const png = `/api/captcha/${image.captcha_token}.png`;
  t.equal((await site.gateway.get(png)).status, 200);
  const { captcha: letters } = image;
  const answered = { ...image, captcha: `  ${letters.toLowerCase()}\t` };
  t.equal(
    (await site.tryLogIn(user, { body: answered })).status,
    200,
    'capitals and white space are ignored',
  );
  t.equal((await site.gateway.get(png)).status, 404, 'a solved image is removed');
  t.equal(await demandsImage(site, email), false, 'a success clears the failures');
  t.strictSame(answers(await site.tryLogIn(wrong)), failed(false), 'and the count restarts');

  const unasked = await site.tryLogIn(user, { body: { ...(await site.image()), captcha: 'zzzzzz' } });
  t.match(
    answers(unasked),
    [422, refusedLogIn('captcha_invalid', false, { captcha: 'wrong_answer' })],
    'a submitted image is always checked',
  );

  await site.tryLogIn(wrong);
  t.equal(await demandsImage(site, email), true);
  const late = await site.image();
  await site.age(121_000);
  t.strictSame(answers(await site.tryLogIn(user, { body: late })), invalid, 'an expired image');
  t.equal((await site.gateway.get(`/api/captcha/${late.captcha_token}.png`)).status, 404);
  await site.age(900_000 - 121_000);
  t.equal((await site.tryLogIn(user)).status, 200, 'a failure is forgotten after 900 seconds');
}

async function prices(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const user = await site.newUser();
  const wrong = { email: user.email, password: 'wrong' };
  const ip = site.newAddress();
  const price = async (query = '', at: Sent = {}) =>
    (await site.challenge.get(`/api/captcha/pow${query}`, { ip, ...at })).json.difficulty;
  const submit = async (account: object, work: object) =>
    gateway.post('/login', { body: { ...account, ...work } });
  const insufficient = refusedLogIn('pow_insufficient', false, { pow_nonce: 'insufficient_work' });

  const fresh = await site.scopeOf(user.email);
  t.equal(await price(`?scope=${fresh}`), 1, 'the floor, without failures');
  const stored = await site.work({ scope: fresh });
  const plain = await site.work({ ip });
  const scope = (await site.tryLogIn(wrong)).json.pow_scope;
  t.equal(await price(`?scope=${scope}`), 3, 'two bits per failure');
  t.equal(await price(`?scope=${fresh}`), 3, 'also for an older ticket');
  t.equal(await price(), 1, 'not for another address');
  t.equal(await price(`?scope=${await site.scopeOf(site.newEmail())}`), 1);
  for (const ticket of [`${scope}A`, scope.slice(1), `${scope}&scope=${scope}`]) {
    t.equal(await price(`?scope=${ticket}`), 1, 'an invalid ticket is ignored');
  }

  const refused = await submit(user, plain);
  t.strictSame(
    [refused.status, bodyOf(refused)],
    [422, insufficient],
    'work at the floor price is not enough',
  );
  t.equal((await submit(user, plain)).json.code, 'pow_invalid', 'and is spent');
  const image = await site.image();
  const cheapWork = await site.work({ ip });
  t.strictSame(
    bodyOf(await submit(user, { ...cheapWork, ...image })),
    refusedLogIn('pow_insufficient', false, { pow_nonce: 'insufficient_work' }),
  );
  t.equal(
    (await gateway.get(`/api/captcha/${image.captcha_token}.png`)).status,
    200,
    'the image is not spent',
  );
  const others = await site.scopeOf(site.newEmail());
  t.strictSame(
    bodyOf(await submit(user, await site.work({ scope: others }))),
    insufficient,
    "another account's",
  );
  t.equal(await price(`?scope=${scope}`), 3, 'none of that is a failure');

  t.equal((await submit(user, stored)).status, 200, 'work under its ticket is accepted for two failures');
  t.equal(await price(`?scope=${scope}`), 1, 'a success clears the price');
}

async function effort(t: Test, site: Site): Promise<void> {
  const { gateway } = site;
  const user = await site.newUser();
  const wrong = { email: user.email, password: 'wrong' };
  await site.tryLogIn(wrong);
  const { pow_scope: scope, captcha_alternatives } = (await site.tryLogIn(wrong)).json;
  t.strictSame(captcha_alternatives, ['effort']);
  const issued = await gateway.get(`/api/captcha?preset=effort&scope=${scope}`);
  t.strictSame(issued.json, {
    token: issued.json.token,
    salt: issued.json.salt,
    parts: 16,
    part_difficulty: 18,
    algorithm: 'sha256',
    expires_in: 120,
    expires_at: issued.json.expires_at,
  });
  t.equal((await gateway.get(`/api/captcha/${issued.json.token}.png`)).status, 404, 'it has no image');
  const answered = { captcha_token: issued.json.token, captcha: await solveEffort(issued.json) };
  const other = (await gateway.get(`/api/captcha?preset=effort&scope=${scope}`)).json;
  const misplaced = { ...answered, captcha_token: other.token };
  const invalid = [422, refusedLogIn('captcha_invalid', true, { captcha: 'wrong_answer' })];
  const missed = await site.tryLogIn(user, { body: misplaced });
  t.strictSame([missed.status, bodyOf(missed)], invalid, 'the answer to another challenge');
  t.equal((await site.tryLogIn(user, { body: answered })).status, 200);
  const again = await site.tryLogIn(user, { body: answered });
  t.strictSame([again.status, again.json.code], [422, 'captcha_invalid'], 'a second use');
}

async function enumeration(t: Test, site: Site): Promise<void> {
  const known = await site.newUser();
  const disabled = await site.newUser();
  const disabledToo = await site.newUser();
  for (const { email } of [disabled, disabledToo])
    await site.directory.setDisabled(email.toLowerCase(), true);
  const accounts = [
    { email: known.email, password: 'wrong' },
    { email: site.newEmail(), password: 'wrong' },
    { email: disabled.email, password: 'wrong' },
    disabledToo,
  ];
  for (const required of [false, true]) {
    const responses: object[] = [];
    for (const account of accounts) {
      const answer = await site.tryLogIn(account, { ip: site.newAddress() });
      const { date: _date, ...headers } = answer.headers;
      const text = JSON.stringify(bodyOf(answer));
      responses.push({ status: answer.status, text, length: answer.text.length, headers });
    }
    const [expected] = responses;
    t.match(expected, { status: 422, text: new RegExp(`"captcha_required":${required}`) });
    for (const response of responses) t.strictSame(response, expected);
  }
}

async function delay(t: Test, site: Site): Promise<void> {
  const user = await site.newUser();
  const ip = site.newAddress();
  const withImage = async (account: { email: string; password: string }, from: string) =>
    site.tryLogIn(account, { ip: from, body: await site.image() });
  const wrong = { email: user.email, password: 'wrong' };

  for (const [n, seconds] of [60, 120, 240, 480, 900, 900].entries()) {
    const tries = n === 0 ? 5 : 1;
    for (let i = 0; i < tries; i++) {
      const answer = await withImage(wrong, ip);
      t.equal(answer.json.code, 'login_failed', `failure ${n + 5 - tries + 1 + i}`);
    }
    const work = await site.work({ ip, scope: await site.scopeOf(user.email) });
    const image = await site.image();
    const body = { ...user, ...work, ...image };
    const refused = await site.session.post('/login', { ip, body });
    const throttled = refusedUnproven('login_throttled', undefined, true);
    t.strictSame([refused.status, refused.json], [429, throttled], 'nothing is revealed of the account');
    const wait = Number(refused.headers['retry-after']);
    t.ok(wait > seconds - 20 && wait <= seconds, `${wait} s are about ${seconds} s`);
    t.match(refused.headers, { 'ratelimit-limit': /^\d+$/ });

    if (n === 0) {
      const elsewhere = site.newAddress();
      const again = await site.session.post('/login', {
        ip: elsewhere,
        body: { ...body, password: 'wrong' },
      });
      t.equal(
        again.json.code,
        'login_failed',
        'another address does not wait, and the challenge had not been spent',
      );
    }
    await site.age(seconds * 1000 + 1_000);
  }
  t.ok((await site.events('login_throttled')).length >= 6);
  const answer = await withImage(user, ip);
  t.equal(answer.status, 200, 'after the wait the right password succeeds');
  t.equal((await withImage(wrong, ip)).json.code, 'login_failed', 'and the count of the pair restarts');
  t.equal((await withImage(wrong, ip)).json.code, 'login_failed');
}

async function fixation(t: Test, site: Site): Promise<void> {
  const thief = await site.newUser();
  const owner = await site.newUser();
  const planted = await site.logIn(thief);
  const own = await site.logIn(owner);
  const elsewhere = await site.logIn(owner);
  const cookie = { cookie: `${planted.cookie}; theme=dark; ${own.cookie}` };
  const fresh = await site.logIn(owner, { headers: cookie });
  const sids = (await site.events('login')).slice(-4).map(({ sid }) => sid);
  t.equal(new Set(sids).size, 4, 'each login starts a new session');
  for (const { cookie } of [planted, own]) {
    const answer = await site.refresh(cookie);
    t.strictSame([answer.status, answer.json], [401, refusal('session_revoked')]);
  }
  for (const { cookie } of [elsewhere, fresh]) t.equal((await site.refresh(cookie)).status, 200);

  const kept = await site.logIn(owner);
  t.equal(
    (await site.tryLogIn({ ...owner, password: 'wrong' }, { headers: { cookie: kept.cookie } })).status,
    422,
  );
  t.equal((await site.refresh(kept.cookie)).status, 200, 'a failed login ends no session');
}

/** Whether the account's next login requires an image, read from a login with solved work and an unknown image. */
async function demandsImage(site: Site, email: string): Promise<boolean> {
  const scope = await site.scopeOf(email);
  const body = { email, password: 'x', ...(await site.work({ scope })), captcha_token: TOKEN, captcha: 'x' };
  return (await site.gateway.post('/login', { body })).json.captcha_required;
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
