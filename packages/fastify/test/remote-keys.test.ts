// Public keys from a URL: fetches, and possible responses.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSigningKey, jwksOf, openSigningKeys } from '@tollgate/shared/crypto';
import t, { type Test } from 'tap';
import { COOLDOWN_MS, followRemoteKeys, KEEP_MS, REFRESH_AFTER_MS } from '../src/remote-keys.js';

const [ONE, TWO] = [createSigningKey('ES256'), createSigningKey('EdDSA')];
const setOf = (list: string) => JSON.stringify(jwksOf(openSigningKeys(list).all));
const ids = (list: string) => openSigningKeys(list).all.map(({ id }) => id);

type Answer = (response: ServerResponse) => void;

const answer =
  (body: string, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  };

/** Follows the keys of a test server, with the test's clock. */
async function follow(t: Test, first: Answer) {
  const place = { answer: first, requests: 0, nowMs: 0, lines: [] as string[] };
  const server = createServer((_request, response) => {
    place.requests += 1;
    place.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const line = (_about: object, message: string) => void place.lines.push(message);
  const log = { info: line, warn: line };
  const remote = followRemoteKeys(`http://127.0.0.1:${port}/jwks.json`, log, () => place.nowMs);
  t.teardown(() => {
    remote.stop();
    server.closeAllConnections();
    server.close();
  });
  await remote.refresh();
  return { place, remote, known: () => remote.keys().map(({ id }) => id) };
}

t.test('keys are fetched at the start, and refetched in the background when old', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  t.strictSame(known(), ids(ONE));
  t.equal(remote.keys(), remote.keys(), 'the same array');
  place.answer = answer(setOf(`${ONE},${TWO}`));
  place.nowMs += REFRESH_AFTER_MS;
  t.strictSame(known(), ids(ONE));
  t.equal(place.requests, 1);
  place.nowMs += 1;
  t.strictSame(known(), ids(ONE), 'nobody waits');
  await remote.refresh();
  t.strictSame(known(), ids(`${ONE},${TWO}`));
  t.equal(place.requests, 2, 'one request for both calls');
  const before = remote.keys();
  place.nowMs += REFRESH_AFTER_MS + 1;
  known();
  await remote.refresh();
  t.equal(place.requests, 3);
  t.equal(remote.keys(), before, 'equal keys are the same array');
});

t.test('a refresh waits for new keys, at most once in thirty seconds', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = answer(setOf(TWO));
  for (let count = 0; count < 100; count++) t.equal(remote.refresh(), undefined);
  place.nowMs += COOLDOWN_MS.found;
  const looking = remote.refresh();
  t.ok(looking);
  t.equal(remote.refresh(), looking, 'shared by concurrent callers');
  await looking;
  t.strictSame(known(), ids(TWO), 'a removed key is unknown');
  t.equal(place.requests, 2);
});

t.test('while the URL does not respond, its keys stay in use for an hour', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = answer('', 503);
  for (let minutes = 0; minutes < 60; minutes += 10) {
    place.nowMs += 600_000;
    t.strictSame(known(), ids(ONE), `${minutes + 10} minutes`);
    await remote.refresh();
  }
  t.equal(place.nowMs, KEEP_MS);
  place.nowMs += COOLDOWN_MS.failed;
  t.strictSame(known(), []);
  t.strictSame(
    place.lines,
    ['the public keys of access tokens cannot be fetched'],
    'one line for many failures',
  );
  place.answer = answer(setOf(ONE));
  await remote.refresh();
  place.nowMs += COOLDOWN_MS.failed;
  await remote.refresh();
  t.strictSame(known(), ids(ONE));
  t.equal(place.lines.at(-1), 'the public keys of access tokens were fetched again');
});

t.test('an invalid key set changes nothing', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  const answers: Record<string, Answer> = {
    'no JSON': answer('<html>'),
    'no set': answer('{"keys":5}'),
    'an empty set': answer('{"keys":[]}'),
    'a set without a usable key': answer('{"keys":[{"kty":"oct","k":"AAAA","kid":"a"}]}'),
    'an error': answer(setOf(TWO), 404),
    'a redirect': (response) => {
      response.writeHead(302, { location: '/elsewhere' });
      response.end();
    },
    'more than 64 KiB': answer(`${setOf(TWO)}${' '.repeat(65_536)}`),
    'a body without an end': (response) => {
      response.writeHead(200);
      const more = () => response.write('x'.repeat(16_384), (error) => error ?? more());
      more();
    },
    'a connection that breaks': (response) => response.destroy(),
  };
  for (const [name, wrong] of Object.entries(answers)) {
    place.answer = wrong;
    place.nowMs += COOLDOWN_MS.found;
    await remote.refresh();
    t.strictSame(known(), ids(ONE), name);
  }
  t.equal(place.requests, 1 + Object.keys(answers).length, 'a redirect is not followed');
});

t.test('a request without a response ends with the timeout, or with stop', async (t) => {
  const { place, remote, known } = await follow(t, answer(setOf(ONE)));
  place.answer = () => {};
  place.nowMs += COOLDOWN_MS.found;
  const sinceMs = performance.now();
  await remote.refresh();
  t.ok(performance.now() - sinceMs < 4000);
  place.nowMs += COOLDOWN_MS.found;
  const looking = remote.refresh();
  remote.stop();
  await looking;
  t.equal(remote.refresh(), undefined);
  t.strictSame(known(), ids(ONE));
});
