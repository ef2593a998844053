// Device Bound Session Credentials on the wire: registration, renewal, and failures of both that end no session.

import { openKeyRing } from '@tollgate/shared/crypto';
import { newDevice, registration, renewal } from '@tollgate/test-support/device-key.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { challengeFor, formatBoundCookie } from '../../src/domain/binding/device-proof.js';
import {
  type BindingClient,
  newClient,
  nonceOf,
  registrationChallenge,
  renewalChallenge,
  setCookies,
} from '../support/binding-client.js';
import { EMAIL, onEach } from '../support/binding-site.js';
import { loginProof, proof } from '../support/device-key.js';
import { SECRETS, startNode, userDirectory } from '../support/session-node.js';

const GRACE = 10_000;
const HOUR = 3_600_000;
const MINUTE = 60_000;
const RING = openKeyRing(SECRETS.REFRESH_SECRET);
const ATTRIBUTES = 'Path=/refresh; HttpOnly; Secure; SameSite=Strict';

/** The instructions for a browser session. */
const instructionsFor = (sid: string) => ({
  session_identifier: sid,
  refresh_url: '/refresh/renew',
  scope: { origin: 'https://example.com', include_site: false },
  credentials: [{ type: 'cookie', name: 'refreshBinding', attributes: ATTRIBUTES }],
});

onEach('a browser registers, and its copied refresh cookie is rejected', async (t, site) => {
  const { client, events } = site;
  for (const algorithm of ['ES256', 'RS256'] as const) {
    const device = newDevice(algorithm);
    const started = await client.logIn(EMAIL);
    t.match(
      String(started.headers['secure-session-registration']),
      /^\(ES256 RS256\);path="\/refresh\/bind";challenge="[\w-]{22}"$/,
    );
    const bound = await client.bind(device, started);
    t.equal(bound.statusCode, 200, algorithm);
    t.match(bound.headers, { 'content-type': /^application\/json/ });
    t.strictSame(bound.json(), instructionsFor(client.sid));
    const [line = '', ...more] = setCookies(bound);
    t.strictSame(more, []);
    const attributes = line.slice(line.indexOf('; ') + 2).split('; ');
    t.strictSame(attributes.filter((each) => each !== 'Max-Age=600').sort(), ATTRIBUTES.split('; ').sort());
    t.ok(attributes.includes('Max-Age=600'));
    t.ok(events.includes('refresh_bound dbsc'));

    t.match(await client.refresh(), { headers: { 'refresh-binding': 'dbsc' } });
    await site.age(GRACE);
    const thief = client.copy('refreshToken');
    const refused = await thief.refresh();
    t.match(refused, { statusCode: 401, headers: { 'refresh-binding': 'dbsc', 'refresh-nonce': /./ } });
    t.equal(refused.json().code, 'binding_required');
    t.strictSame(setCookies(refused), []);
    t.ok(events.includes('refresh_binding_missing dbsc'));
    const answer = await client.refresh();
    t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'dbsc' } });
    t.equal(answer.headers['secure-session-registration'], undefined);
    await site.age(HOUR);
    t.equal((await client.refresh()).statusCode, 200);
  }
});

onEach('a renewal issues a new cookie for a signature, and writes nothing', async (t, site) => {
  const { client } = site;
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  await site.age(HOUR);
  const sessions = async () => {
    const { sid } = client;
    return JSON.stringify(await site.node.sessions.find(sid, 1).then(({ known }) => known));
  };
  const before = await sessions();
  client.cookies.delete('refreshBinding');
  const asked = await client.send('POST', '/refresh/renew', { 'sec-secure-session-id': `"${client.sid}"` });
  t.equal(asked.statusCode, 403);
  t.match(asked.headers, { 'secure-session-challenge': new RegExp(`^"[\\w-]{22}";id="${client.sid}"$`) });
  const jwt = renewal(device, renewalChallenge(asked));
  // Browsers send bare texts; the draft uses quoted strings and allows parameters.
  for (const [id, response] of [
    [client.sid, jwt],
    [`"${client.sid}"`, `"${jwt}"`],
    [`${client.sid};a=1`, `"${jwt}";b`],
  ] as const) {
    const headers = { 'sec-secure-session-id': id, 'secure-session-response': response };
    const renewed = await client.send('POST', '/refresh/renew', headers);
    t.equal(renewed.statusCode, 200);
    t.strictSame(renewed.json(), instructionsFor(client.sid));
    t.match(setCookies(renewed), [/^refreshBinding=/]);
  }
  t.equal(await sessions(), before);
  t.equal((await client.refresh()).statusCode, 200);
});

onEach('a renewal ignores the generation: it may run in parallel with a refresh', async (t, site) => {
  const { client } = site;
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  const late = client.copy();
  for (let n = 0; n < 3; n++) {
    t.equal((await client.refresh()).statusCode, 200);
    await site.age(HOUR);
  }
  t.equal((await late.renew(device)).statusCode, 200);
  t.equal((await client.refresh()).statusCode, 200);
});

onEach('a renewal with a wrong signature ends the session', async (t, { client, events }) => {
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  const thief = newDevice();
  const stolen = client.copy('refreshToken');
  const refused = await stolen.renew({ ...thief, jwk: device.jwk });
  t.equal(refused.statusCode, 401);
  t.equal(refused.json().code, 'session_revoked');
  t.ok(events.includes('refresh_binding_failed dbsc'));
  t.equal((await client.refresh()).json().code, 'session_revoked');
});

onEach('a key inside the renewal token is ignored', async (t, { client }) => {
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  const asked = await client.send('POST', '/refresh/renew', { 'sec-secure-session-id': client.sid });
  const thief = newDevice();
  const answer = await client.send('POST', '/refresh/renew', {
    'sec-secure-session-id': client.sid,
    'secure-session-response': renewal(thief, renewalChallenge(asked), { jwk: thief.jwk }),
  });
  t.equal(answer.json().code, 'session_revoked');
});

onEach(
  'a renewal without a valid response is challenged again, and never rejected',
  async (t, { node, client }) => {
    const device = newDevice();
    const started = await client.logIn(EMAIL);
    await client.bind(device, started);
    const old = challengeFor(RING, 'renew', client.sid, Date.now() - 2 * MINUTE);
    const wrong = {
      'no token': '',
      'no JWT': 'x',
      'another type': renewal(device, challengeFor(RING, 'renew', client.sid, Date.now()), { typ: 'jwt' }),
      'an old challenge': renewal(device, old),
      'the challenge of a registration': renewal(device, registrationChallenge(started)),
      'the nonce of a proof': renewal(device, nonceOf(started)),
      'the challenge of another session': renewal(device, challengeFor(RING, 'renew', 'other', Date.now())),
      'no challenge': renewal(device, undefined as never),
    };
    for (const [what, response] of Object.entries(wrong)) {
      const headers = { 'sec-secure-session-id': client.sid, 'secure-session-response': response };
      const answer = await client.send('POST', '/refresh/renew', headers);
      t.equal(answer.statusCode, 403, what);
      t.match(answer.headers, { 'secure-session-challenge': /^"[\w-]{22}";id="/ }, what);
    }
    for (const shift of [-MINUTE, MINUTE]) {
      const near = renewal(device, challengeFor(RING, 'renew', client.sid, Date.now() + shift));
      const headers = { 'sec-secure-session-id': client.sid, 'secure-session-response': near };
      t.equal(
        (await client.send('POST', '/refresh/renew', headers)).statusCode,
        200,
        'clocks of nodes differ',
      );
    }
    t.equal((await client.refresh()).statusCode, 200);
    t.equal((await node.app.inject({ method: 'POST', url: '/refresh/renew' })).statusCode, 200);
  },
);

onEach('the browser is told that a session has ended wherever none exists', async (t, site) => {
  const { client, node } = site;
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  const over = async (what: string, from: BindingClient, sid: string) => {
    const answer = await from.send('POST', '/refresh/renew', { 'sec-secure-session-id': sid });
    t.equal(answer.statusCode, 200, what);
    t.strictSame(answer.json(), { session_identifier: sid, continue: false }, what);
    t.strictSame(setCookies(answer), [], what);
  };
  await over('no cookie', newClient(node), client.sid);
  await over('a forged cookie', newClient(node, [['refreshToken', 'x']]), client.sid);
  await over('another session', client, 'abc');
  const unbound = newClient(node);
  await unbound.logIn('bob@example.com');
  await over('an unbound session', unbound, unbound.sid);
  const keyed = newClient(node);
  await keyed.logIn('bob@example.com', { 'refresh-proof': loginProof(newDevice()) });
  await over('a session of a page', keyed, keyed.sid);
  const copy = client.copy();
  t.equal((await client.send('DELETE', '/refresh')).statusCode, 204);
  await over('a logout', copy, copy.sid);
});

onEach(
  'a second login of a browser ends its first session there, and its renewals',
  async (t, { client }) => {
    const [first, second] = [newDevice(), newDevice()];
    await client.bind(first, await client.logIn(EMAIL));
    const old = client.sid;
    await client.bind(second, await client.logIn(EMAIL));
    const answer = await client.send('POST', '/refresh/renew', { 'sec-secure-session-id': old });
    t.strictSame(answer.json(), { session_identifier: old, continue: false });
    t.equal((await client.renew(second)).statusCode, 200);
    t.equal((await client.refresh()).statusCode, 200);
  },
);

onEach('a malformed, wrong or old registration is rejected and ends nothing', async (t, site) => {
  const { client, node } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL);
  const challenge = registrationChallenge(started);
  const weak = newDevice('RS256', 1024);
  const off = { ...device.jwk, y: device.jwk.x };
  const wrong = {
    'no token': '',
    'no JWT': 'x',
    'another type': registration(device, challenge, { typ: 'jwt' }),
    'another algorithm': registration(device, challenge, { alg: 'RS256' }),
    'no algorithm': registration(device, challenge, { alg: 'none' }),
    'no key': registration(device, challenge, { jwk: undefined }),
    'a private key': registration(device, challenge, { jwk: device.privateKey.export({ format: 'jwk' }) }),
    'a point off the curve': registration(device, challenge, { jwk: off }),
    'another curve': registration(device, challenge, { jwk: { ...device.jwk, crv: 'P-384' } }),
    'a short modulus': registration(weak, challenge),
    'the key of another': registration(device, challenge, { jwk: newDevice().jwk }),
    'an old challenge': registration(device, challengeFor(RING, 'bind', client.sid, Date.now() - 2 * MINUTE)),
    'the nonce of a proof': registration(device, nonceOf(started)),
    'another session': registration(device, challengeFor(RING, 'bind', 'other', Date.now())),
  };
  for (const [what, response] of Object.entries(wrong)) {
    const answer = await client.send('POST', '/refresh/bind', { 'secure-session-response': response });
    t.equal(answer.statusCode, 401, what);
    t.equal(answer.json().code, 'registration_invalid', what);
  }
  const cookieless = await newClient(node).bind(device, started);
  t.equal(cookieless.json().code, 'token_invalid');
  t.equal((await client.refresh()).headers['refresh-binding'], 'none');
  t.equal((await client.bind(device, started)).statusCode, 200);
});

onEach('a session is registered once: again with its key, never with another', async (t, site) => {
  const { client } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL);
  t.equal((await client.bind(device, started)).statusCode, 200);
  t.equal((await client.bind(device, started)).statusCode, 200, 'the answer was lost');
  const thief = await client.copy().bind(newDevice(), started);
  t.equal(thief.statusCode, 409);
  t.equal(thief.json().code, 'binding_conflict');
  t.strictSame(setCookies(thief), []);
  await site.age(GRACE);
  t.equal((await client.refresh()).statusCode, 200);
  const ended = client.copy();
  await client.send('DELETE', '/refresh');
  t.equal((await ended.bind(device, started)).json().code, 'session_revoked');
});

onEach('binding and renewing do not count as session use', async (t, site) => {
  const { client, node } = site;
  const started = await client.logIn(EMAIL);
  const lastUse = async () => (await node.sessions.list(1))[0]?.lastUsedAtMs;
  const before = await lastUse();
  const device = newDevice();
  const bound = await client.bind(device, started);
  const renewed = await client.renew(device);
  t.equal(await lastUse(), before);
  for (const answer of [bound, renewed])
    t.notOk(setCookies(answer).some((line) => line.startsWith('refreshToken=')));
});

onEach(
  'until a refresh presents the bound cookie, the requirements from before the registration apply',
  async (t, site) => {
    const { client } = site;
    await client.bind(newDevice(), await client.logIn(EMAIL));
    const early = client.copy('refreshToken');
    t.match(await early.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'none' } });
    await site.age(GRACE);
    t.equal((await early.refresh()).statusCode, 200);
    t.match(await client.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'dbsc' } });
    t.equal((await early.refresh()).statusCode, 401);

    const page = newDevice();
    const started = await client.logIn(EMAIL, { 'refresh-proof': loginProof(page) });
    await client.bind(newDevice(), started);
    const proving = client.copy('refreshToken');
    const unproven = await proving.refresh();
    t.match(
      unproven,
      { statusCode: 401, headers: { 'refresh-binding': 'key' } },
      'it needed its proof before',
    );
    const answer = await proving.refresh({ 'refresh-proof': proof(page, nonceOf(started)) });
    t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
    await site.age(GRACE);
    t.equal((await client.refresh()).statusCode, 200);
    const late = await proving.refresh({ 'refresh-proof': proof(page, nonceOf(answer)) });
    t.match(late, { statusCode: 401, headers: { 'refresh-binding': 'dbsc' } });
    t.equal((await client.refresh()).statusCode, 200);
  },
);

onEach('just after a registration, a request sent before it succeeds', async (t, site) => {
  const { client } = site;
  await client.bind(newDevice(), await client.logIn(EMAIL));
  const other = client.copy('refreshToken');
  t.equal((await client.refresh()).statusCode, 200);
  t.equal((await other.refresh()).statusCode, 200, 'another tab was slower');
});

onEach('a lost response to a registration logs nobody out', async (t, site) => {
  const { client, events, age } = site;
  const started = await client.logIn(EMAIL);
  await client.copy().bind(newDevice(), started);
  for (let n = 0; n < 2; n++) {
    await age(HOUR);
    t.match(await client.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'none' } });
  }
  const thief = client.copy();
  await age(HOUR);
  await client.refresh();
  await age(HOUR);
  await client.refresh();
  t.equal((await thief.refresh()).json().code, 'session_revoked', 'its reuse is noticed');
  t.ok(events.includes('refresh_reuse_detected'));

  const page = newDevice();
  let answer = await client.logIn(EMAIL, { 'refresh-proof': loginProof(page) });
  await client.copy().bind(newDevice(), answer);
  for (let n = 0; n < 2; n++) {
    await age(HOUR);
    t.match(await client.copy().refresh(), { statusCode: 401, headers: { 'refresh-binding': 'key' } });
    answer = await client.refresh({ 'refresh-proof': proof(page, nonceOf(answer)) });
    t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
  }
});

onEach('a page binds its session while the response to a registration is lost', async (t, site) => {
  const { client, events, age } = site;
  const started = await client.logIn(EMAIL);
  const browser = client.copy();
  await browser.bind(newDevice(), started);
  const page = newDevice();
  const bound = await client.refresh({ 'refresh-proof': proof(page, nonceOf(started)) });
  t.match(bound, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
  t.ok(events.includes('refresh_bound key'));
  await age(HOUR);
  t.equal((await client.copy().refresh()).statusCode, 401);
  t.equal((await client.refresh({ 'refresh-proof': proof(page, nonceOf(bound)) })).statusCode, 200);
  client.cookies.set('refreshBinding', browser.cookies.get('refreshBinding') ?? '');
  t.match(await client.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'dbsc' } }, 'it was late');
});

onEach('the bound cookie has its own expiry, and is not valid elsewhere', async (t, site) => {
  const { client, node } = site;
  const device = newDevice();
  await client.bind(device, await client.logIn(EMAIL));
  await client.refresh();
  await site.age(GRACE);
  const real = client.cookies.get('refreshBinding') ?? '';
  const [, , , thumbprint = ''] = real.split('.');
  const nowSeconds = Math.floor(Date.now() / 1000);
  const make = (changes: object, secret: string = SECRETS.REFRESH_SECRET) =>
    formatBoundCookie(openKeyRing(secret), {
      sid: client.sid,
      thumbprint,
      expiresAt: nowSeconds + 60,
      ...changes,
    });
  const withCookie = (value: string) => {
    const other = client.copy('refreshToken');
    other.cookies.set('refreshBinding', value);
    return other.refresh();
  };
  t.equal((await withCookie(make({}))).statusCode, 200);
  const expired = make({ expiresAt: nowSeconds - 1 });
  const wrong = {
    expired,
    'expired, with another expiry': expired.replace(String(nowSeconds - 1), String(nowSeconds + 60)),
    forged: make({}, 'another-secret-of-this-test-0123456789'),
    'of another session': make({ sid: 'other' }),
    'of another key': make({ thumbprint: 'x'.repeat(43) }),
    'of another version': real.replace(/^1/, '2'),
    'cut off': real.slice(0, -1),
    empty: '',
  };
  for (const [what, value] of Object.entries(wrong)) {
    const answer = await withCookie(value);
    t.equal(answer.json().code, 'binding_required', what);
  }
  const spellings = [
    encodeURIComponent(real),
    real.replaceAll('.', '%2e'),
    real.replaceAll('.', '%252E'),
    `"${real}"`,
  ];
  for (const spelling of spellings) t.equal((await withCookie(spelling)).statusCode, 200, spelling);
  t.equal((await withCookie(real.replaceAll('.', '%25252E'))).json().code, 'binding_required');
  const planted = client.copy('refreshToken');
  const cookie = `refreshBinding=x; refreshToken=${planted.cookies.get('refreshToken')}; refreshBinding=${real}`;
  const beside = await node.app.inject({ method: 'POST', url: '/refresh', headers: { cookie } });
  t.equal(beside.statusCode, 200, 'a planted cookie hides none');
});

onEach('a browser that skipped the renewal is told to retry later', async (t, site) => {
  const { client } = site;
  await client.bind(newDevice(), await client.logIn(EMAIL));
  await client.refresh();
  await site.age(GRACE);
  client.cookies.delete('refreshBinding');
  const answer = await client.refresh({
    'secure-session-skipped': `quota_exceeded;session_identifier="${client.sid}"`,
  });
  t.match(answer, { statusCode: 401, headers: { 'retry-after': '2', 'refresh-binding': 'dbsc' } });
});

onEach(
  'registrations and renewals have their own limit, which responds 503',
  async (t, { client, node }) => {
    const device = newDevice();
    const started = await client.logIn(EMAIL);
    t.equal((await client.bind(device, started)).statusCode, 200);
    for (let n = 0; n < 2; n++) t.equal((await client.refresh()).statusCode, 200);
    t.equal((await client.refresh()).statusCode, 429);
    t.equal(
      (await client.renew(device)).statusCode,
      503,
      'the second request of the renewal is over the limit',
    );
    const answers = [await client.renew(device)];
    for (let n = 0; n < 50; n++)
      for (const path of ['bind', 'renew'])
        answers.push(await node.app.inject({ method: 'POST', url: `/refresh/${path}` }));
    for (const answer of [answers[0], ...answers.slice(-2)]) {
      t.equal(answer?.statusCode, 503, 'a session has the limit, an address fifty times as much');
      t.ok(Number(answer?.headers['retry-after']) > 0);
    }
  },
  { RATE_LIMIT_REFRESH: '2' },
);

onEach('pages of other sites are rejected', async (t, { node }) => {
  for (const path of ['bind', 'renew']) {
    const headers = { origin: 'https://evil.example' };
    const answer = await node.app.inject({ method: 'POST', url: `/refresh/${path}`, headers });
    t.equal(answer.json().code, 'origin_refused');
  }
});

onEach('logging out clears the bound cookie', async (t, { client, node }) => {
  const started = await client.logIn(EMAIL);
  await client.bind(newDevice(), started);
  const authorization = `Bearer ${started.json().accessToken}`;
  const answer = await node.app.inject({ method: 'POST', url: '/logout', headers: { authorization } });
  const isCleared = (line: string) => /^refreshBinding=;.*Max-Age=0.*Path=\/refresh/.test(line);
  t.ok(setCookies(answer).some(isCleared), 'unseen, because its path is another');
  const deleted = await client.send('DELETE', '/refresh');
  t.ok(setCookies(deleted).some(isCleared));
  t.equal(setCookies(await client.send('DELETE', '/refresh')).length, 1, 'where there is one');
});

t.test('URLs and cookie follow the configuration', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, EMAIL);
    const env = {
      PUBLIC_URL: 'https://example.com/auth/',
      CORS_ORIGIN: 'https://app.example.com:8443',
      COOKIE_PREFIX: '__Host-',
      COOKIE_SAMESITE: 'lax',
      BOUND_COOKIE_TTL: '300',
    };
    const node = await startNode(t, { store, directory, env });
    const client = newClient(node);
    const started = await client.logIn(EMAIL);
    t.match(started.headers, { 'secure-session-registration': /;path="\/auth\/refresh\/bind";/ });
    const bound = await client.bind(newDevice(), started);
    t.strictSame(bound.json(), {
      session_identifier: client.sid,
      refresh_url: '/auth/refresh/renew',
      scope: { origin: 'https://example.com', include_site: false },
      credentials: [
        {
          type: 'cookie',
          name: '__Host-refreshBinding',
          attributes: 'Path=/; HttpOnly; Secure; SameSite=Lax',
        },
      ],
      allowed_refresh_initiators: ['app.example.com'],
    });
    t.match(setCookies(bound), [/^__Host-refreshBinding=.*Max-Age=300/]);
    const proven = await newClient(node).logIn(EMAIL, {
      'refresh-proof': loginProof(newDevice(), { payload: { htu: 'https://example.com/auth/login' } }),
    });
    t.equal(proven.headers['refresh-binding'], 'key');
  });
});

t.test('every element of REFRESH_SECRET is accepted, so that keys can be changed', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, EMAIL);
    const before = await startNode(t, { store, directory });
    const changed = `new-refresh-secret-of-this-test-0123456789,${SECRETS.REFRESH_SECRET}`;
    const after = await startNode(t, { store, directory, env: { REFRESH_SECRET: changed } });
    const client = newClient(before);
    const started = await client.logIn(EMAIL);
    const device = newDevice();
    const elsewhere = Object.assign(newClient(after, [...client.cookies]), { sid: client.sid });
    t.equal((await elsewhere.bind(device, started)).statusCode, 200);
    client.cookies.set('refreshBinding', elsewhere.cookies.get('refreshBinding') ?? '');
    t.equal((await elsewhere.renew(device)).statusCode, 200);
  });
});
