// The number of store commands per request, counted in Redis itself.

import { newDevice, refreshProof, registration } from '@tollgate/test-support/device-key.js';
import t, { type Test } from 'tap';
import { CHEAP, onRedis, type Site } from './site.js';

t.test('store commands of a request', (t) => onRedis(t, CHEAP, tests));

async function tests(t: Test, site: Site): Promise<void> {
  const { gateway, redis } = site;
  if (redis === undefined) throw new TypeError('requires Redis');
  const user = await site.newUser();
  // Every script is in the server's cache after this.
  const { accessToken, cookie } = await site.logIn(user);
  await site.tryLogIn({ email: site.newEmail(), password: 'wrong' }, { body: await site.image() });
  await site.refresh(cookie);
  const ended = await site.logIn(user);
  for (const path of ['/profile', '/sessions']) {
    await gateway.get(path, { headers: { authorization: `Bearer ${ended.accessToken}` } });
  }
  await gateway.delete('/refresh', { headers: { cookie: ended.cookie } });
  const device = newDevice();
  const proofFor = (path: string, nonce?: string) => ({
    'refresh-proof': refreshProof(device, `${site.system.address}${path}`, nonce),
  });
  const bound = await site.logIn(await site.newUser(), { headers: proofFor('/login') });
  const nonce = String(bound.answer.headers['refresh-nonce']);
  const challenge = /challenge="([^"]+)"/.exec(String(bound.answer.headers['secure-session-registration']));
  const browser = newDevice();
  // Both scripts are in the cache after this.
  const other = await site.logIn(await site.newUser());
  const offered = /challenge="([^"]+)"/.exec(String(other.answer.headers['secure-session-registration']));
  const bind = (cookie: string, offer: string | undefined) =>
    gateway.post('/refresh/bind', {
      headers: { cookie, 'secure-session-response': registration(browser, String(offer)) },
    });
  const renew = async (cookie: string, sid: string) =>
    gateway.post('/refresh/renew', { headers: { cookie, 'sec-secure-session-id': sid } });
  const sid = (await bind(other.cookie, offered?.[1])).json.session_identifier;
  await renew(other.cookie, sid);
  const headers = { authorization: `Bearer ${accessToken}` };
  const image = await site.image();
  const png = `/api/captcha/${image.captcha_token}.png`;
  await gateway.get(png);
  const work = await site.work();

  const commands = async (during: () => Promise<unknown>) =>
    (await redis.commands(during)).filter((command) => !OF_NO_REQUEST.test(command));
  const names = async (during: () => Promise<unknown>) =>
    (await commands(during)).map((command) => command.split(' ')[0]);

  const table: [string, string[], () => Promise<{ status: number }>, number][] = [
    ['an issue of work', ['evalsha'], () => gateway.get('/api/captcha/pow'), 200],
    ['an issue of an image', ['evalsha'], () => gateway.get('/api/captcha'), 200],
    ['an image', ['evalsha', 'get'], () => gateway.get(png), 200],
    ['no image', [], () => gateway.get('/api/captcha/x.png'), 404],
    ['an unknown preset', [], () => gateway.get('/api/captcha?preset=x'), 422],
    ['a refresh', ['evalsha'], () => site.refresh(cookie), 200],
    [
      'a refresh with a proof',
      ['evalsha'],
      () => site.refresh(bound.cookie, { headers: proofFor('/refresh', nonce) }),
      200,
    ],
    ['a refresh without its proof', ['evalsha'], () => site.refresh(bound.cookie), 401],
    [
      'a proof with an old nonce',
      [],
      () => site.refresh(bound.cookie, { headers: proofFor('/refresh', 'old') }),
      401,
    ],
    ['a registration', ['evalsha'], () => bind(bound.cookie, challenge?.[1]), 200],
    ['a renewal', ['evalsha'], () => renew(other.cookie, sid), 403],
    ['a forged refresh', [], () => site.refresh('refreshToken=forged'), 401],
    [
      'the first profile of a generation: its proof of use',
      ['evalsha'],
      () => gateway.get('/profile', { headers }),
      200,
    ],
    ['a profile', [], () => gateway.get('/profile', { headers }), 200],
    ['a forged bearer', [], () => gateway.get('/profile', { headers: { authorization: 'Bearer x' } }), 401],
    ['a foreign login', [], () => gateway.post('/login', { headers: { origin: 'null' }, body: user }), 403],
    ['a login without an address', [], () => gateway.post('/login', { body: {} }), 422],
    ['a malformed login: the limit', ['evalsha'], () => gateway.post('/login', { body: user }), 422],
    ['a verification', [], () => gateway.get('/verify', { headers }), 204],
    ['a list of sessions', ['evalsha'], () => gateway.get('/sessions', { headers }), 200],
    [
      'a logout: revocation, session',
      ['evalsha', 'evalsha'],
      () => gateway.post('/logout', { headers }),
      204,
    ],
  ];
  for (const [what, commands, request, status] of table) {
    await t.test(what, async (t) => {
      const heard = await names(async () => t.equal((await request()).status, status));
      t.strictSame(heard, commands);
    });
  }

  await t.test('a login: limit, standing, work, try, both counters cleared, session, history', async (t) => {
    const body = { ...user, ...work };
    const heard = await names(async () => t.equal((await gateway.post('/login', { body })).status, 200));
    t.strictSame(heard, ['evalsha', 'evalsha', 'evalsha', 'evalsha', 'del', 'evalsha', 'evalsha', 'evalsha']);
  });

  await t.test('a failed login: limit, standing, work, try, history, remembered price', async (t) => {
    const body = { ...user, password: 'wrong', ...(await site.work()) };
    const heard = await names(async () => t.equal((await gateway.post('/login', { body })).status, 422));
    t.strictSame(heard, Array(6).fill('evalsha'));
  });

  // For a device cookie, the command that reads the account's standing reads whether the cookie is void instead.
  await t.test('a login of a known device: no extra command', async (t) => {
    const { answer } = await site.logIn(user);
    const cookie = answer.cookies.find((text) => text.startsWith('knownDevice=')) ?? '';
    const headers = { cookie: cookie.slice(0, cookie.indexOf(';')) };
    const send = async (password: string, status: number) => {
      const body = { ...user, password, ...(await site.work()) };
      return names(async () => t.equal((await gateway.post('/login', { body, headers })).status, status));
    };
    const start = ['evalsha', 'get', 'evalsha', 'evalsha'];
    // The first one loads the script that withdraws its own count.
    await send(user.password, 200);
    t.strictSame(await send(user.password, 200), [...start, ...Array(4).fill('evalsha')]);
    t.strictSame(await send('wrong', 422), [...start, 'evalsha', 'evalsha']);
  });

  await t.test('10,000 malformed submissions count towards the limit, and write nothing else', async (t) => {
    // A process's load reports are not written by a request.
    const stored = async () =>
      (await redis.client.keys('*')).filter((key) => !key.startsWith('captcha:{load}')).sort();
    const before = await stored();
    const bodies = [
      { ...user, ...work, pow_nonce: '01' },
      { ...user, ...work, pow_token: 'x' },
      { ...user, pow_nonce: '1' },
      { ...user, ...work, captcha: 'x' },
    ];
    const heard = await commands(async () => {
      for (let n = 0; n < 2_500; n += 50) {
        await Promise.all(
          Array.from({ length: 200 }, (_, at) => site.session.post('/login', { body: bodies[at % 4]! })),
        );
      }
    });
    const isLimited = (command: string) => command.includes(' session:limit:login:');
    const limited = heard.filter(isLimited);
    t.equal(limited.length, 10_000);
    const shas = new Set(limited.map((command) => command.split(' ').slice(0, 2).join(' ')));
    t.equal(shas.size, 1, 'all of them run only the rate limit script');
    // A slow machine takes a minute for them, during which the processes do their own work.
    const others = heard.filter((command) => !isLimited(command) && !OF_NO_SUBMISSION.test(command));
    t.strictSame(others, []);
    const known = new Set(before);
    t.strictSame(
      (await stored()).filter((key) => !known.has(key)),
      [],
    );
  });

  await t.test('every key has an expiry, and none contains a name', async (t) => {
    const keys = await redis.client.keys('*');
    t.ok(keys.length > 5);
    for (const key of keys) t.ok((await redis.client.pttl(key)) > 0, key);
    const contents = await Promise.all(keys.map(async (key) => `${key} ${await contentOf(site, key)}`));
    const everything = contents.join('\n');
    for (const text of [user.email, user.email.toLowerCase(), '127.0.0.1', accessToken, image.captcha]) {
      t.notOk(everything.includes(text));
    }
  });
}

/** Commands without a request: revocations, options, keys, load, connections, and the server's facts and clock. */
const OF_NO_REQUEST =
  /^(?:xread|info|config|time|hello|client|select|ping)\b| (?:session:keys|captcha:options|captcha:\{load\})/;

/** Keys that processes read and write each minute. */
const OF_NO_SUBMISSION = /\bsession:(?:directory|ready)\b|\bcaptcha:ready\b/;

async function contentOf({ redis }: Site, key: string): Promise<string> {
  const type = await redis?.client.type(key);
  if (type === 'hash') return JSON.stringify(await redis?.client.hgetall(key));
  if (type === 'list') return JSON.stringify(await redis?.client.lrange(key, 0, -1));
  if (type === 'zset') return JSON.stringify(await redis?.client.zrange(key, '0', '-1'));
  if (type === 'stream') return JSON.stringify(await redis?.client.xrange(key, '-', '+'));
  return (await redis?.client.get(key)) ?? '';
}
