// A session bound to a page's key: who can bind it, and what a copied cookie can do.

import { openKeyRing } from '@tollgate/shared/crypto';
import { type Device, newDevice, registration } from '@tollgate/test-support/device-key.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import type { LightMyRequestResponse } from 'fastify';
import t from 'tap';
import { type ChallengePurpose, challengeFor } from '../../src/domain/binding/device-proof.js';
import {
  type BindingClient,
  newClient,
  nonceOf,
  registrationChallenge,
  setCookies,
} from '../support/binding-client.js';
import { EMAIL, onEach } from '../support/binding-site.js';
import { loginProof, proof } from '../support/device-key.js';
import { PASSWORD, PUBLIC_URL, SECRETS, startNode, until, userDirectory } from '../support/session-node.js';
import { RULES } from '../support/session-rules.js';
import { codeFor, exchange } from '../support/sign-in-codes.js';

const MINUTE = 60_000;
const RING = openKeyRing(SECRETS.REFRESH_SECRET);
const REQUIRE = { REFRESH_BINDING: 'require' };

// A copied cookie is rejected, and the owner continues.

const HOUR = 3_600_000;

onEach('a session that starts with a key rejects the copied cookie and continues', async (t, site) => {
  const { client, events } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL, { 'refresh-proof': loginProof(device) });
  t.match(started.headers, { 'refresh-binding': 'key', 'refresh-nonce': /^[\w-]{22}$/ });
  t.ok(events.includes('refresh_bound key'));

  const thief = client.copy();
  const refused = await thief.refresh();
  t.match(refused, { statusCode: 401, headers: { 'refresh-binding': 'key', 'refresh-nonce': /./ } });
  t.equal(refused.json().code, 'binding_required');
  t.strictSame(setCookies(refused), [], 'no cookie is touched');
  t.equal(refused.headers['retry-after'], undefined);
  t.ok(events.includes('refresh_binding_missing key'));

  const answer = await client.refresh({ 'refresh-proof': proof(device, nonceOf(started)) });
  t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'key', 'refresh-nonce': /./ } });
  await site.age(HOUR);
  const later = await client.refresh({ 'refresh-proof': proof(device, nonceOf(answer)) });
  t.equal(later.statusCode, 200);

  const old = newClient(site.node, [...thief.cookies]);
  t.equal((await old.refresh()).json().code, 'binding_required', 'an old cookie alone ends nothing');
  await site.age(HOUR);
  t.equal((await client.refresh({ 'refresh-proof': proof(device, nonceOf(later)) })).statusCode, 200);
});

onEach(
  'the first refresh with a proof binds a session that started without one',
  async (t, { client, events }) => {
    const device = newDevice();
    const started = await client.logIn(EMAIL);
    t.equal(started.headers['refresh-binding'], 'none');
    const bound = await client.refresh({ 'refresh-proof': proof(device, nonceOf(started)) });
    t.match(bound, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
    t.strictSame(
      events.filter((event) => event.startsWith('refresh_bound')),
      ['refresh_bound key'],
    );
    t.equal((await client.copy().refresh()).statusCode, 401);
  },
);

onEach('a client without support for it refreshes as before', async (t, { client, age }) => {
  await client.logIn(EMAIL);
  for (let n = 0; n < 3; n++) {
    const answer = await client.refresh();
    t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'none' } });
    t.strictSame(Object.keys(answer.json()), ['accessToken', 'expiresIn']);
    t.equal(setCookies(answer).length, 1);
    await age(HOUR);
  }
});

onEach('a proof by another key ends the session', async (t, { node, client, events }) => {
  const started = await client.logIn(EMAIL, { 'refresh-proof': loginProof(newDevice()) });
  const thief = client.copy();
  const refused = await thief.refresh({ 'refresh-proof': proof(newDevice(), nonceOf(started)) });
  t.equal(refused.statusCode, 401);
  t.equal(refused.json().code, 'session_revoked');
  t.ok(events.includes('refresh_binding_failed key'));
  const bearer = { authorization: `Bearer ${started.json().accessToken}` };
  await until(async () => (await node.app.inject({ url: '/verify', headers: bearer })).statusCode === 401);
  t.equal((await client.refresh()).json().code, 'session_revoked');
});

onEach('a malformed, wrong or stale proof ends nothing, and gets a new nonce', async (t, site) => {
  const { client } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL, { 'refresh-proof': loginProof(device) });
  const nonce = nonceOf(started);
  const other = await newClient(site.node).logIn(EMAIL);
  const right = proof(device, nonce);
  const wrong: Record<string, string> = {
    'not a token': 'x',
    'a forged signature': `${right.slice(0, -4)}${right.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`,
    'no nonce': proof(device, undefined),
    'a foreign nonce': proof(device, 'a'.repeat(22)),
    'the nonce of another session': proof(device, nonceOf(other)),
    'another method': proof(device, nonce, { payload: { htm: 'GET' } }),
    'another address': proof(device, nonce, { payload: { htu: `${PUBLIC_URL}/login` } }),
    'a query in the address': proof(device, nonce, { payload: { htu: `${PUBLIC_URL}/refresh?x` } }),
    'no id': proof(device, nonce, { payload: { jti: '' } }),
    'no time': proof(device, nonce, { payload: { iat: 'now' } }),
    'another type': proof(device, nonce, { header: { typ: 'dpop+jwt' } }),
    'another algorithm': proof(device, nonce, { header: { alg: 'none' } }),
    'the key of another device': proof(newDevice(), nonce, { header: { jwk: device.jwk } }),
    'a private key': proof(device, nonce, { header: { jwk: device.privateKey.export({ format: 'jwk' }) } }),
    'a critical extension': proof(device, nonce, { header: { crit: ['exp'] } }),
    'a key of RSA': proof(newDevice('RS256'), nonce, { header: { alg: 'RS256' } }),
    'too long': proof(device, nonce, { payload: { more: 'x'.repeat(2048) } }),
  };
  for (const [what, header] of Object.entries(wrong)) {
    const answer = await client.refresh({ 'refresh-proof': header });
    t.equal(answer.json().code, 'binding_required', what);
    t.match(answer.headers, { 'refresh-nonce': /^[\w-]{22}$/ }, what);
    t.strictSame(setCookies(answer), [], what);
  }
  t.equal((await client.refresh({ 'refresh-proof': right })).statusCode, 200);
  t.equal(
    (await client.refresh({ 'refresh-proof': right })).statusCode,
    200,
    'a request sent again is no theft',
  );
});

onEach(
  'a login with a malformed proof is rejected before it costs anything',
  async (t, { client, events }) => {
    const device = newDevice();
    for (const header of ['x', proof(device, undefined), `${loginProof(device)}A`]) {
      const answer = await client.logIn(EMAIL, { 'refresh-proof': header });
      t.equal(answer.statusCode, 422);
      t.match(answer.json(), { code: 'validation_failed', errors: { 'Refresh-Proof': [/./] } });
    }
    t.strictSame(events, []);
  },
);

onEach(
  'a service that requires a key rejects the first refresh without one, but not the login',
  async (t, { client, events }) => {
    const device = newDevice();
    const started = await client.logIn(EMAIL);
    t.equal(started.statusCode, 200);
    const refused = await client.refresh();
    t.match(refused, { statusCode: 401, headers: { 'refresh-binding': 'none' } });
    t.equal(refused.json().code, 'binding_required');
    t.ok(events.includes('refresh_binding_missing none'));
    const again = await client.refresh({ 'refresh-proof': proof(device, nonceOf(refused)) });
    t.equal(again.json().code, 'binding_required', 'the nonce of a refusal binds nothing');
    t.equal(registrationChallenge(again), '');
    const bound = await client.refresh({ 'refresh-proof': proof(device, nonceOf(started)) });
    t.match(bound, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
  },
  { REFRESH_BINDING: 'require' },
);

onEach('a copied request, proof included, does not register a key that outlives it', async (t, site) => {
  const { client, age } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL, { 'refresh-proof': loginProof(device) });
  t.not(registrationChallenge(started), '', 'a browser registers after the login');
  const thief = client.copy();
  const copied = { 'refresh-proof': proof(device, nonceOf(started)) };
  await client.refresh(copied);
  for (const what of ['beside the owner', 'after the window']) {
    const repeated = await thief.refresh(copied);
    t.equal(repeated.statusCode, 200, what);
    t.equal((await thief.bind(newDevice(), repeated)).json().code, 'registration_invalid', what);
    await age(40_000);
  }
});

onEach('a login offers a registration, a refresh does not', async (t, site) => {
  const { client, age } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL);
  t.not(registrationChallenge(started), '');
  const bound = await client.refresh({ 'refresh-proof': proof(device, nonceOf(started)) });
  t.match(bound.headers, { 'refresh-binding': 'key' });
  await age(HOUR);
  const later = await client.refresh({ 'refresh-proof': proof(device, nonceOf(bound)) });
  t.equal(later.statusCode, 200);
  const unbound = newClient(site.node);
  await unbound.logIn('bob@example.com');
  await age(HOUR);
  const refusal = await client.copy().refresh();
  for (const answer of [bound, later, refusal, await unbound.refresh()])
    t.equal(registrationChallenge(answer), '');
});

t.test('when disabled, the service ignores keys, even for bound sessions', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, EMAIL);
    const on = await startNode(t, { store, directory });
    const off = await startNode(t, { store, directory, env: { REFRESH_BINDING: 'off' } });
    const client = newClient(on);
    await client.logIn(EMAIL, { 'refresh-proof': loginProof(newDevice()) });
    t.equal((await client.refresh()).statusCode, 401);

    const elsewhere = newClient(off, [...client.cookies]);
    const answer = await elsewhere.refresh({ 'refresh-proof': 'x' });
    t.equal(answer.statusCode, 200);
    const names = ['refresh-binding', 'refresh-nonce', 'secure-session-registration'];
    for (const name of names) t.equal(answer.headers[name], undefined);
    for (const path of ['bind', 'renew'])
      t.equal((await elsewhere.send('POST', `/refresh/${path}`)).statusCode, 404);
    t.equal((await newClient(off).logIn(EMAIL, { 'refresh-proof': 'x' })).statusCode, 200);
  });
});

onEach('a logout needs no key', async (t, { client }) => {
  await client.logIn(EMAIL, { 'refresh-proof': loginProof(newDevice()) });
  t.equal((await client.send('DELETE', '/refresh')).statusCode, 204);
});

t.test('pages of another origin may send the proof and read the headers', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const directory = await userDirectory(t, EMAIL);
    const origin = 'https://app.example.com';
    const node = await startNode(t, { store, directory, env: { CORS_ORIGIN: origin } });
    const preflight = await node.app.inject({
      method: 'OPTIONS',
      url: '/refresh',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    t.match(preflight.headers, { 'access-control-allow-headers': /Refresh-Proof/ });
    const answer = await newClient(node).logIn(EMAIL, { origin });
    const exposed = String(answer.headers['access-control-expose-headers']);
    for (const name of ['Refresh-Nonce', 'Refresh-Binding', 'Retry-After']) t.match(exposed, name);
  });
});

// Only the browser that logged in can bind a session: a thief with its cookie cannot. A lost response logs nobody out.

const prove = (client: BindingClient, device: Device, answer: LightMyRequestResponse) =>
  client.refresh({ 'refresh-proof': proof(device, nonceOf(answer)) });

/** The refresh cookie value in a response. */
const cookieOf = (answer: LightMyRequestResponse) =>
  setCookies(answer)
    .map((line) => /^refreshToken=([^;]+)/.exec(line)?.[1] ?? '')
    .join('');

/** A challenge with this age. */
const issued = (purpose: ChallengePurpose, sid: string, agoMs: number) =>
  challengeFor(RING, purpose, sid, Date.now() - agoMs);

onEach('a thief of an unbound cookie cannot bind the session, and its reuse is detected', async (t, site) => {
  const { client, events, age } = site;
  await client.logIn(EMAIL);
  const thief = client.copy();
  await age(HOUR);
  const stolen = await thief.refresh();
  t.match(stolen, { statusCode: 200, headers: { 'refresh-binding': 'none' } });
  const device = newDevice();
  const bound = await prove(thief, device, stolen);
  t.match(bound, { statusCode: 200, headers: { 'refresh-binding': 'none' } }, 'the proof binds nothing');
  for (const challenge of [registrationChallenge(stolen), registrationChallenge(bound), nonceOf(bound)]) {
    const response = { 'secure-session-response': registration(device, challenge) };
    t.equal((await thief.send('POST', '/refresh/bind', response)).json().code, 'registration_invalid');
  }
  await age(MINUTE);
  t.equal((await client.refresh()).json().code, 'session_revoked', 'the old cookie of the owner');
  t.ok(events.includes('refresh_reuse_detected'));
  t.equal((await prove(thief, device, bound)).json().code, 'session_revoked', 'the thief is out');
});

onEach('a thief gets no binding challenge from any rejection', async (t, { client }) => {
  const started = await client.logIn(EMAIL);
  const thief = client.copy();
  const refusals = [
    await thief.refresh({ 'refresh-proof': proof(newDevice(), 'an old nonce') }),
    await thief.send('POST', '/refresh/bind'),
    await thief.send('POST', '/refresh/renew', { 'sec-secure-session-id': client.sid }),
  ];
  for (const refusal of refusals) {
    t.equal(registrationChallenge(refusal), '');
    t.not(nonceOf(refusal), nonceOf(started));
    t.match((await prove(thief, newDevice(), refusal)).headers, { 'refresh-nonce': /./ });
  }
  t.match(await client.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'none' } });
});

onEach('every login offers a binding, and a reauthentication does not', async (t, { client, node }) => {
  const offers = {
    'refresh-nonce': /^[\w-]{22}$/,
    'secure-session-registration': /;challenge="[\w-]{22}"$/,
  };
  const password = await client.logIn(EMAIL);
  const code = await exchange(node, { code: await codeFor(node, 1) });
  for (const answer of [password, code]) {
    t.match(answer.headers, { 'refresh-binding': 'none', ...offers });
    const signedIn = newClient(node, [['refreshToken', cookieOf(answer)]]);
    t.match(await prove(signedIn, newDevice(), answer), { headers: { 'refresh-binding': 'key' } });
  }
  const headers = { authorization: `Bearer ${code.json().accessToken}`, origin: PUBLIC_URL };
  for (const [url, payload] of [
    ['/reauthenticate', { password: PASSWORD }],
    ['/reauthenticate/code', { code: await codeFor(node, 1) }],
  ] as const) {
    const answer = await node.app.inject({ method: 'POST', url, headers, payload });
    t.equal(answer.statusCode, 200);
    for (const name of Object.keys(offers)) t.equal(answer.headers[name], undefined, `${url} ${name}`);
  }
});

onEach('a login nonce is valid for 20 minutes, and only for its own session', async (t, { client, node }) => {
  for (const [agoMs, kind] of [
    [20 * MINUTE, 'key'],
    [26 * MINUTE, undefined],
    [-4 * MINUTE, 'key'],
  ] as const) {
    await client.logIn(EMAIL);
    const nonce = issued('first', client.sid, agoMs);
    const answer = await client.refresh({ 'refresh-proof': proof(newDevice(), nonce) });
    t.equal(answer.headers['refresh-binding'], kind, `${agoMs / MINUTE} minutes`);
  }
  await client.logIn(EMAIL);
  const other = await newClient(node).logIn(EMAIL);
  t.equal((await prove(client, newDevice(), other)).json().code, 'binding_required', 'a stale nonce');
  const swapped = registration(newDevice(), issued('first', client.sid, 0));
  const refused = await client.send('POST', '/refresh/bind', { 'secure-session-response': swapped });
  t.equal(
    refused.json().code,
    'registration_invalid',
    'whoever has copied a proof with its nonce registers no key with it',
  );
});

onEach('a session refreshed without a key can be bound only by its login', async (t, site) => {
  const { client, age } = site;
  const device = newDevice();
  const started = await client.logIn(EMAIL);
  const unproven = await client.refresh();
  t.match(
    unproven,
    { statusCode: 200, headers: { 'refresh-binding': 'none' } },
    'a page that was loaded again',
  );
  await age(MINUTE);
  t.match(await prove(client, device, unproven), { headers: { 'refresh-binding': 'none' } });
  await age(MINUTE);
  t.match(await prove(client, device, started), { headers: { 'refresh-binding': 'key' } });
});

onEach('an older unbound session remains unbound, and continues', async (t, { client, age }) => {
  const device = newDevice();
  let answer = await client.logIn(EMAIL);
  answer = await client.refresh();
  for (let n = 0; n < 3; n++) {
    await age(HOUR);
    answer = await prove(client, device, answer);
    t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'none' } });
  }
});

for (const env of [{}, REQUIRE]) {
  const policy = 'REFRESH_BINDING' in env ? 'require' : 'offer';

  onEach(
    `a response that is lost while a session is bound signs nobody out, ${policy}`,
    async (t, { client, age }) => {
      const device = newDevice();
      const started = await client.logIn(EMAIL);
      const lost = client.copy();
      t.match(await prove(lost, device, started), { statusCode: 200, headers: { 'refresh-binding': 'key' } });
      await age(HOUR);
      const stale = await client.refresh({
        'refresh-proof': proof(device, issued('first', client.sid, HOUR)),
      });
      t.equal(stale.json().code, 'binding_required');
      t.match(await prove(client, device, stale), { statusCode: 200, headers: { 'refresh-binding': 'key' } });
    },
    env,
  );

  onEach(
    `two tabs that bind a session at the same time both go on, ${policy}`,
    async (t, { client, age }) => {
      const device = newDevice();
      const started = await client.logIn(EMAIL);
      const tabs = [client.copy(), client.copy()];
      for (const answer of await Promise.all(tabs.map((tab) => prove(tab, device, started))))
        t.match(answer, { statusCode: 200, headers: { 'refresh-binding': 'key' } });
      await age(HOUR);
      for (const tab of tabs) t.match(await prove(tab, device, started), { statusCode: 200 });
    },
    env,
  );

  onEach(
    `a failover that loses the write of the binding signs nobody out, ${policy}`,
    async (t, { client, node, age }) => {
      const device = newDevice();
      const started = await client.logIn(EMAIL);
      const bound = await prove(client, device, started);
      t.match(bound.headers, { 'refresh-binding': 'key' });
      // Restores the store before the write: the session of the same login at generation 1, without a key.
      await node.sessions.end({ uid: 1, sid: client.sid });
      await node.sessions.start({ uid: 1, sid: client.sid, userAgent: '' }, RULES);
      await age(MINUTE);
      const shown = await prove(client, device, bound);
      if (policy === 'require') {
        t.equal(shown.json().code, 'binding_required');
        t.equal(shown.headers['refresh-binding'], 'none', 'so the page shows the nonce of its sign-in again');
      } else t.match(shown, { statusCode: 200, headers: { 'refresh-binding': 'none' } });
      t.match(await prove(client, device, started), {
        statusCode: 200,
        headers: { 'refresh-binding': 'key' },
      });
    },
    env,
  );
}

onEach(
  "after a failover loses a registration's write, the page can still use the session",
  async (t, { client, node, age }) => {
    const started = await client.logIn(EMAIL);
    await client.bind(newDevice(), started);
    await node.sessions.end({ uid: 1, sid: client.sid });
    await node.sessions.start({ uid: 1, sid: client.sid, userAgent: '' }, RULES);
    const asked = await client.send('POST', '/refresh/renew', { 'sec-secure-session-id': client.sid });
    t.strictSame(asked.json(), { session_identifier: client.sid, continue: false });
    await age(HOUR);
    t.match(await client.refresh(), { statusCode: 200, headers: { 'refresh-binding': 'none' } });
  },
);
