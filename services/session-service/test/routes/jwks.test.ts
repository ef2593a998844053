// GET /.well-known/jwks.json: the public keys, their caching, and other methods.

import { createSigningKey, openSigningKeys } from '@tollgate/shared/crypto';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t, { type Test } from 'tap';
import { startNode, userDirectory } from '../support/session-node.js';

const URL = '/.well-known/jwks.json';
const LIST = [createSigningKey('ES256'), createSigningKey('EdDSA')].join(',');

async function nodeWith(t: Test, env: Readonly<Record<string, string>>) {
  const { store } = embeddedStore(t);
  const { app } = await startNode(t, { store, directory: await userDirectory(t), env });
  return (url = URL, headers = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    app.inject({ method, url, headers });
}

t.test('every key is published with its public part, in either format, and may be cached', async (t) => {
  const keys = openSigningKeys(LIST).all;
  for (const ACCESS_TOKEN_FORMAT of ['sealed', 'public']) {
    const get = await nodeWith(t, { ACCESS_SIGNING_KEYS: LIST, ACCESS_TOKEN_FORMAT });
    const answer = await get();
    t.equal(answer.statusCode, 200);
    t.match(answer.headers, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      etag: /^"[A-Za-z0-9_-]{43}"$/,
      'x-content-type-options': 'nosniff',
    });
    t.strictSame(
      answer
        .json()
        .keys.map(({ kid, alg, use, kty, crv }: Record<string, string>) => [kid, alg, use, kty, crv]),
      [
        [keys[0]?.id, 'ES256', 'sig', 'EC', 'P-256'],
        [keys[1]?.id, 'EdDSA', 'sig', 'OKP', 'Ed25519'],
      ],
    );
    t.strictSame(Object.keys(answer.json().keys[1]), ['kty', 'crv', 'x', 'kid', 'alg', 'use']);
    for (const element of LIST.split(',')) t.notMatch(answer.body, element.split(':')[1]);
  }
});

t.test('a client with current keys gets 304', async (t) => {
  const get = await nodeWith(t, { ACCESS_SIGNING_KEYS: LIST });
  const { etag } = (await get()).headers;
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get(URL, { 'if-none-match': tag });
    t.equal(answer.statusCode, 304);
    t.equal(answer.body, '');
    t.match(answer.headers, { etag, 'cache-control': 'public, max-age=300' });
  }
  for (const tag of ['"other"', 'x', '', String(etag).slice(1, -1), '"'.repeat(5000)]) {
    t.equal((await get(URL, { 'if-none-match': tag })).statusCode, 200, tag.slice(0, 20));
  }
  const head = await get(URL, {}, 'HEAD');
  t.equal(head.statusCode, 200);
  t.equal(head.headers.etag, etag);
  const other = await nodeWith(t, { ACCESS_SIGNING_KEYS: createSigningKey('ES256') });
  t.not((await other()).headers.etag, etag);
});

t.test('without signing keys the set is empty, and nothing else is served', async (t) => {
  const get = await nodeWith(t, {});
  t.strictSame((await get()).json(), { keys: [] });
  t.equal((await get('/.well-known/jwks.json?x=%00&keys[]=1')).statusCode, 200, 'queries are ignored');
  for (const url of [
    '/.well-known',
    '/.well-known/',
    `${URL}/`,
    '/.well-known/openid-configuration',
    '/jwks.json',
  ]) {
    const answer = await get(url);
    t.equal(answer.statusCode, 404, url);
    t.equal(answer.headers['cache-control'], 'no-store');
  }
  const posted = await get(URL, {}, 'POST');
  t.match([posted.statusCode, posted.headers.allow], [405, 'GET, HEAD, OPTIONS']);
});

t.test('key requests have their own limit', async (t) => {
  const get = await nodeWith(t, { RATE_LIMIT_SESSION: '3' });
  for (let count = 0; count < 3; count++) t.equal((await get()).statusCode, 200);
  const refused = await get();
  t.equal(refused.statusCode, 429);
  t.equal(refused.json().code, 'rate_limited');
  t.equal(refused.headers['cache-control'], 'no-store');
});
