// Only the browser that logged in can bind a session. A thief with its cookie cannot, and a lost response logs nobody
// out.

import { openKeyRing } from '@tollgate/shared/crypto';
import { type Device, newDevice, registration } from '@tollgate/test-support/device-key.js';
import type { LightMyRequestResponse } from 'fastify';
import { type ChallengePurpose, challengeFor } from '../../src/domain/binding/device-proof.js';
import {
  type BindingClient,
  newClient,
  nonceOf,
  registrationChallenge,
  setCookies,
} from '../support/binding-client.js';
import { EMAIL, onEach } from '../support/binding-site.js';
import { proof } from '../support/device-key.js';
import { PASSWORD, PUBLIC_URL, SECRETS } from '../support/session-node.js';
import { RULES } from '../support/session-rules.js';
import { codeFor, exchange } from '../support/sign-in-codes.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RING = openKeyRing(SECRETS.REFRESH_SECRET);
const REQUIRE = { REFRESH_BINDING: 'require' };

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
