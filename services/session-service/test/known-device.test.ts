// The device cookie: how it is issued, used, limited and voided.

import { openKeyRing } from '@tollgate/shared/crypto';
import { eachKind, embeddedStore, redisStore, type StoreUnderTest } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import t, { type Test } from 'tap';
import { deviceClaims } from '../src/domain/device-claims.js';
import { createDeviceCodec } from '../src/plugins/known-device.js';
import {
  API_KEY,
  type Held,
  heldFrom,
  PASSWORD,
  PUBLIC_URL,
  refresh,
  SECRETS,
  type SessionNode,
  sessionIdOf,
  startNode,
  userDirectory,
  withBearer,
} from './support/session-node.js';

const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const ADDRESS = '198.51.100.7';

/** A node that requires an image after two failures. The tests send none, so that only known devices get in. */
async function openNode(t: Test, { store, clock }: StoreUnderTest, env = {}) {
  const directory = await userDirectory(t, ANN, BOB);
  const lines: string[] = [];
  const node = await startNode(t, {
    store,
    directory,
    clock,
    env: { CAPTCHA_ESCALATION_AFTER: '2', ...env },
    onLine: (line) => lines.push(line),
  });
  const logIn = (
    email: string,
    { cookie, password = PASSWORD, ip }: { cookie?: string; password?: string; ip?: string } = {},
  ) =>
    node.app.inject({
      method: 'POST',
      url: '/login',
      remoteAddress: ip ?? ADDRESS,
      headers: cookie === undefined ? {} : { cookie },
      payload: { email, password },
    });
  /** Fails from other addresses until the account requires an image. */
  const attack = async (email: string) => {
    for (let n = 0; n < 3; n++) await logIn(email, { password: 'wrong', ip: `203.0.113.${n}` });
    t.equal((await logIn(email)).json().code, 'captcha_required', 'for who is not known');
  };
  /** The known-device results of earlier logins. */
  const audited = () =>
    lines
      .splice(0)
      .map((line) => JSON.parse(line))
      .filter(({ type, known_device }) => type === 'audit' && known_device !== undefined)
      .map(({ event, known_device }) => `${event} ${known_device}`);
  const outcomes = async () => {
    const { body } = await node.admin.inject({ url: '/metrics' });
    return ['known', 'spent', 'void'].map((outcome) =>
      Number(body.match(new RegExp(`device_cookies_total{outcome="${outcome}"} (\\d+)`))?.[1]),
    );
  };
  return { node, directory, logIn, attack, audited, outcomes };
}

function setCookies({ headers }: LightMyRequestResponse): string[] {
  return [headers['set-cookie'] ?? []].flat();
}

/** The device cookie set by a response, formatted for a Cookie header. */
function deviceOf(answer: LightMyRequestResponse): string {
  return (
    setCookies(answer)
      .find((text) => text.includes('knownDevice='))
      ?.split(';')[0] ?? ''
  );
}

t.test('a login sets the device cookie after the session cookie', async (t) => {
  const cases = [
    [{}, 'knownDevice', 'Max-Age=7776000; Path=/login; HttpOnly; Secure; SameSite=Strict'],
    [
      { PUBLIC_URL: 'https://example.com/auth/', COOKIE_PREFIX: '__Secure-', COOKIE_SAMESITE: 'lax' },
      '__Secure-knownDevice',
      'Max-Age=7776000; Path=/auth/login; HttpOnly; Secure; SameSite=Strict',
    ],
    [
      { COOKIE_PREFIX: '__Host-', DEVICE_TTL: '60' },
      '__Host-knownDevice',
      'Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict',
    ],
    [
      { PUBLIC_URL: 'http://localhost:8080' },
      'knownDevice',
      'Max-Age=7776000; Path=/login; HttpOnly; SameSite=Strict',
    ],
  ] as const;
  const place = embeddedStore(t);
  for (const [env, name, attributes] of cases) {
    const { logIn, attack } = await openNode(t, place, env);
    const answer = await logIn(ANN);
    const [session = '', device = '', ...others] = setCookies(answer);
    t.strictSame(others, []);
    t.match(device, new RegExp(`^${name}=[A-Za-z0-9%]+; ${attributes}$`));
    t.match(session, /refreshToken=/);
    await attack(ANN);
    const again = await logIn(ANN, { cookie: deviceOf(answer) });
    t.equal(again.statusCode, 200);
    t.not(deviceOf(again), deviceOf(answer), 'each login issues another');
    await place.age(900_000);
  }
});

t.test('the owner of an attacked account logs in on a known device as without an attack', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, logIn, attack, audited, outcomes } = await openNode(t, place);
    const cookie = deviceOf(await logIn(ANN));
    await attack(ANN);
    t.strictSame(audited(), ['login false', ...Array(2).fill('login_failed false')]);
    const answer = await logIn(ANN, { cookie });
    t.equal(answer.statusCode, 200);
    t.strictSame(audited(), ['login true']);
    t.strictSame(await outcomes(), [1, 0, 0]);
    t.equal((await logIn(ANN)).json().code, 'captcha_required', 'which clears nothing for others');
    await withBearer(node, 'POST', '/logout', heldFrom(answer));
    const next = await logIn(ANN, { cookie: deviceOf(answer) });
    t.equal(next.statusCode, 200, 'a logout leaves the device known');
    await refresh(node, heldFrom(next));
    t.equal((await logIn(ANN, { cookie })).statusCode, 200, 'an earlier cookie is good too');
  });
});

t.test('a stolen cookie allows a limited number of attempts per decay period', async (t) => {
  await eachKind(t, async (t, place) => {
    // No image is required yet, so that only the attempt limit decides.
    const env = { CAPTCHA_ESCALATION_AFTER: '4', DEVICE_ATTEMPTS: '3' };
    const { logIn, audited, outcomes } = await openNode(t, place, env);
    const cookie = deviceOf(await logIn(ANN));
    for (let n = 0; n < 4; n++) await logIn(ANN, { password: 'wrong', ip: `203.0.113.${n}` });
    audited();
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push((await logIn(ANN, { cookie, password: 'wrong' })).json().code);
    t.strictSame(answers, [...Array(3).fill('login_failed'), ...Array(2).fill('captcha_required')]);
    t.strictSame(audited(), Array(3).fill('login_failed true'));
    t.strictSame(await outcomes(), [3, 0, 0]);
    await place.age(900_000);
    for (let n = 0; n < 4; n++) await logIn(ANN, { cookie, password: 'wrong' });
    t.strictSame(audited(), [...Array(3).fill('login_failed true'), 'login_failed false']);
    t.strictSame(await outcomes(), [6, 1, 0]);
  });
});

/** Ways to end sessions from another device, with these tokens. */
const VOIDING: Readonly<
  Record<string, (node: SessionNode, held: Held, sid: string) => Promise<LightMyRequestResponse>>
> = {
  'ending the others': (node, held) => withBearer(node, 'DELETE', '/sessions', held),
  'ending one from another': (node, held, sid) => withBearer(node, 'DELETE', `/sessions/${sid}`, held),
  'the admin port': ({ admin }) =>
    admin.inject({
      method: 'DELETE',
      url: '/users/1/sessions',
      headers: { authorization: `Bearer ${API_KEY}` },
    }),
};

t.test('ending sessions from elsewhere voids earlier cookies', async (t) => {
  await eachKind(t, async (t, place) => {
    for (const [name, end] of Object.entries(VOIDING)) {
      const { node, logIn, attack, outcomes } = await openNode(t, place);
      const [older, lost, own] = [await logIn(ANN), await logIn(ANN), await logIn(ANN)];
      // A device whose session has ended is void as well.
      await withBearer(node, 'POST', '/logout', heldFrom(older));
      const ended = await end(node, heldFrom(own), await sessionIdOf(node, heldFrom(lost)));
      t.equal(ended.statusCode, 204, name);
      await attack(ANN);
      for (const answer of [older, lost]) {
        t.equal((await logIn(ANN, { cookie: deviceOf(answer) })).json().code, 'captcha_required', name);
      }
      t.strictSame(await outcomes(), [0, 0, 2], name);
      const status = (await logIn(ANN, { cookie: deviceOf(own) })).statusCode;
      t.equal(status, name === 'the admin port' ? 422 : 200, 'the device that asked stays known');
      await place.age(900_000);
      const after = deviceOf(await logIn(ANN));
      await attack(ANN);
      t.equal((await logIn(ANN, { cookie: after })).statusCode, 200, 'a later cookie is good');
      await place.age(900_000);
    }
  });
});

t.test('a session with a void device does not make it known again by ending others', async (t) => {
  await eachKind(t, async (t, place) => {
    const { node, logIn, attack } = await openNode(t, place);
    const own = await logIn(ANN);
    const other = await logIn(ANN);
    const otherSid = await sessionIdOf(node, heldFrom(other));
    const ended = await node.admin.inject({
      method: 'DELETE',
      url: `/users/1/sessions/${otherSid}`,
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    t.equal(ended.statusCode, 204);
    t.equal((await withBearer(node, 'DELETE', '/sessions', heldFrom(own))).statusCode, 204);
    await attack(ANN);
    t.equal((await logIn(ANN, { cookie: deviceOf(own) })).json().code, 'captcha_required');
  });
});

t.test('a changed password, or another user at the address, voids earlier cookies', async (t) => {
  const place = await redisStore(t);
  const { directory, logIn, attack, outcomes } = await openNode(t, place);
  const cookie = deviceOf(await logIn(ANN));
  await attack(ANN);
  t.equal((await logIn(ANN, { cookie })).statusCode, 200);
  await directory.setPassword(ANN, 'another hash');
  t.equal((await logIn(ANN, { cookie })).json().code, 'captcha_required');
  t.strictSame(await outcomes(), [1, 0, 1]);
});

t.test("one account's cookie has no effect on another, nor has a forged one", async (t) => {
  const place = await redisStore(t);
  const { node, logIn, attack, outcomes } = await openNode(t, place);
  const device = deviceOf(await logIn(BOB));
  const own = deviceOf(await logIn(ANN));
  const { cookie: session } = heldFrom(await logIn(ANN));
  const refreshToken = session.slice(session.indexOf('=') + 1);
  await attack(ANN);
  const ask = async (cookie?: string) => {
    let whole: object = {};
    const commands = await place.redis.commands(async () => {
      const { statusCode, headers, payload } = await logIn(ANN, cookie === undefined ? {} : { cookie });
      const { date: _date, 'ratelimit-reset': _reset, 'ratelimit-remaining': _left, ...rest } = headers;
      whole = { statusCode, headers: rest, payload: payload.replace(/"pow_scope":"[^"]*"/, '') };
    });
    const own = commands.filter((command) => command.startsWith('evalsha') || command.startsWith('get'));
    return { ...whole, commands: own.length };
  };
  const without = await ask();
  const value = own.slice('knownDevice='.length);
  const forged = [
    device,
    `knownDevice=${refreshToken}`,
    'knownDevice=',
    'knownDevice=%',
    `knownDevice=${value.slice(0, -1)}`,
    `knownDevice=${value}A`,
    `knownDevice=${value.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))}`,
    `knownDevice=${'A'.repeat(10_000)}`,
    `x${own}`,
    Array(100).fill(device).join('; '),
  ];
  for (const cookie of forged) t.strictSame(await ask(cookie), without, cookie.slice(0, 60));
  await fc.assert(
    fc.asyncProperty(
      fc.string({ maxLength: 300 }).filter((text) => !/[\r\n\0]/.test(text)),
      async (text) => {
        const answer = await logIn(ANN, { cookie: `knownDevice=${encodeURIComponent(text)}` });
        return answer.json().code === 'captcha_required';
      },
    ),
    { numRuns: 50 },
  );
  t.strictSame(await outcomes(), [0, 0, 0]);
  t.equal((await refresh(node, { accessToken: '', cookie: `refreshToken=${value}` })).statusCode, 401);
  const planted = [device, own, device].join('; ');
  t.equal((await logIn(ANN, { cookie: planted })).statusCode, 200, 'a planted cookie hides no good one');
});

t.test('an unresponsive directory or store is a 503 that counts nothing', async (t) => {
  const place = await redisStore(t);
  const { directory, logIn } = await openNode(t, place);
  const cookie = deviceOf(await logIn(ANN));
  await directory.close();
  t.match(await logIn(ANN, { cookie }), { statusCode: 503, headers: { 'retry-after': '1' } });
  t.strictSame(await place.redis.client.keys('*:fail:*'), []);
  await place.redis.stop();
  t.equal((await logIn(ANN, { cookie })).statusCode, 503);
});

t.test('a login without "remember me", or without a password, sets no device cookie', async (t) => {
  const { node } = await openNode(t, embeddedStore(t));
  const { statusCode, headers } = await node.app.inject({
    method: 'POST',
    url: '/login',
    payload: { email: ANN, password: PASSWORD, remember: false },
  });
  t.equal(statusCode, 200);
  t.match(headers['set-cookie'], /^refreshToken=/);
  const made = await node.admin.inject({
    method: 'POST',
    url: '/users/1/sign-in-codes',
    headers: { authorization: `Bearer ${API_KEY}` },
    payload: { origin: PUBLIC_URL },
  });
  const exchanged = await node.app.inject({
    method: 'POST',
    url: '/login/code',
    headers: { origin: PUBLIC_URL },
    payload: { code: made.json().code },
  });
  t.equal(exchanged.statusCode, 200);
  t.equal(deviceOf(exchanged), '');
});

t.test('with DEVICE_COOKIE=asked only a login with "remember me" sets a device cookie', async (t) => {
  const place = embeddedStore(t);
  const byDefault = await openNode(t, place);
  const cookie = deviceOf(await byDefault.logIn(ANN));
  const { node, logIn, attack } = await openNode(t, place, { DEVICE_COOKIE: 'asked' });
  const remembering = (remember: boolean) =>
    node.app.inject({ method: 'POST', url: '/login', payload: { email: ANN, password: PASSWORD, remember } });
  t.equal(deviceOf(await logIn(ANN)), '');
  t.equal(deviceOf(await remembering(false)), '');
  t.match(deviceOf(await remembering(true)), /^knownDevice=/);
  await attack(ANN);
  t.equal((await logIn(ANN, { cookie })).statusCode, 200, 'an earlier cookie stays valid');
});

t.test('with a lifetime of zero no device is known', async (t) => {
  const place = embeddedStore(t);
  const known = await openNode(t, place);
  const cookie = deviceOf(await known.logIn(ANN));
  const { logIn, attack, outcomes } = await openNode(t, place, { DEVICE_TTL: '0' });
  t.equal(deviceOf(await logIn(ANN)), '');
  await attack(ANN);
  t.equal((await logIn(ANN, { cookie })).json().code, 'captcha_required');
  t.strictSame(await outcomes(), [0, 0, 0]);
});

t.test(
  "an earlier version's device cookie counts for its account, and both forms of a domain are one account",
  async (t) => {
    await eachKind(t, async (t, { store }) => {
      const typed = ['ann@bücher.example', 'ann@xn--bcher-kva.example'] as const;
      const node = await startNode(t, {
        store,
        directory: await userDirectory(t, typed[0]),
        env: { CAPTCHA_ESCALATION_AFTER: '2' },
      });
      const logIn = (email: string, cookie = '', password = PASSWORD, remoteAddress = ADDRESS) =>
        node.app.inject({
          method: 'POST',
          url: '/login',
          remoteAddress,
          headers: { cookie },
          payload: { email, password },
        });
      const user = { id: 1, hash: 'not looked at' };
      const codec = createDeviceCodec(openKeyRing(SECRETS.ENCRYPTION_KEY));
      // An earlier version stored the typed spelling.
      const ofBefore = typed.map((key, at) => {
        const claims = deviceClaims({ key, user, sid: `${at}`.repeat(22), nowMs: Date.now() }, 3600);
        return `knownDevice=${codec.seal(claims)}`;
      });
      for (const [at, email] of [...typed, typed[0]].entries())
        t.match(
          (await logIn(email, '', 'wrong', `203.0.113.${at}`)).json(),
          {
            code: at === 2 ? 'captcha_required' : 'login_failed',
          },
          'failures of both forms count together',
        );
      for (const email of typed) {
        t.equal((await logIn(email)).json().code, 'captcha_required', email);
        for (const cookie of ofBefore)
          t.equal((await logIn(email, cookie)).statusCode, 200, `${email} with its cookie`);
      }
    });
  },
);
