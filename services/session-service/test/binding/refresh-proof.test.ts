// A session bound to a page's key: a copied cookie is rejected, and the owner continues.

import { newDevice } from '@tollgate/test-support/device-key.js';
import { eachKind } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { newClient, nonceOf, registrationChallenge, setCookies } from '../support/binding-client.js';
import { EMAIL, onEach } from '../support/binding-site.js';
import { loginProof, proof } from '../support/device-key.js';
import { PUBLIC_URL, startNode, until, userDirectory } from '../support/session-node.js';

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
