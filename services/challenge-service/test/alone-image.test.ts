// Images for pages without JavaScript: under a token chosen by the page, and counted by address.

import { randomAlphanumerics } from '@tollgate/shared/crypto';
import { eachKind, embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openImages, openNode } from './challenge-node.js';

const ON = { CAPTCHA_NO_SCRIPT: 'image' };
const path = (token = randomAlphanumerics(40)) => `/api/captcha/no-script/${token}.png`;
const images = await openImages(t);

t.test('the first request draws the image, and every later one returns the same bytes', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { images, env: ON });
    const one = path();
    const first = await node.get(one);
    t.equal(first.statusCode, 200);
    t.match(first.headers, {
      'content-type': 'image/png',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-site',
    });
    t.notOk('x-captcha-answer' in first.headers);
    t.ok(first.rawPayload.equals((await node.get(one)).rawPayload));
    t.notOk(first.rawPayload.equals((await node.get(path())).rawPayload));
    const [other, another] = await Promise.all([
      node.get(path('a'.repeat(40))),
      node.get(path('a'.repeat(40))),
    ]);
    t.ok(other.rawPayload.equals(another.rawPayload), 'of two at once one is recorded');
  });
});

t.test('without the option the route does not exist', async (t) => {
  const node = await openNode(t, embeddedStore(t).store, { images });
  t.equal((await node.get(path())).statusCode, 404);
});

t.test('images are limited per minute by address and by network; the same image again is free', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const env = { ...ON, RATE_LIMIT_NO_SCRIPT: '2', RATE_LIMIT_FACTOR_56: '2', RATE_LIMIT_FACTOR_48: '3' };
    const node = await openNode(t, store, { images, env });
    const load = (remoteAddress: string, url = path()) => node.inject({ method: 'GET', url, remoteAddress });
    const known = path();
    t.equal((await load('203.0.113.7', known)).statusCode, 200);
    t.equal((await load('203.0.113.7')).statusCode, 200);
    const refused = await load('203.0.113.7');
    t.equal(refused.statusCode, 429);
    t.match(refused.headers, { 'retry-after': /^\d+$/, 'ratelimit-limit': '2', 'ratelimit-remaining': '0' });
    t.equal((await load('203.0.113.7', known)).statusCode, 200);
    t.equal((await load('203.0.113.8')).statusCode, 200);
    for (const network of ['2001:db8:0:1', '2001:db8:0:2']) {
      for (let i = 0; i < 2; i++) t.equal((await load(`${network}::1`)).statusCode, 200, network);
    }
    t.equal((await load('2001:db8:0:3::1')).statusCode, 429, 'the /56 has had its four');
    for (const network of ['2001:db8:0:100', '2001:db8:0:200']) {
      t.equal((await load(`${network}::1`)).statusCode, 200, network);
    }
    t.equal((await load('2001:db8:0:300::1')).statusCode, 429, 'the /48 has had its six');
  });
});

t.test('the operator chooses the preset', async (t) => {
  const presets = { 'no-script': { phrase: { length: 8 } }, easy: { phrase: { length: 4 } } };
  const env = { ...ON, CAPTCHA_TEST_MODE: 'true' };
  const node = await openNode(t, embeddedStore(t).store, { images, env, presets });
  const { headers } = await node.get(`${path()}?preset=easy`);
  t.match(headers['x-captcha-answer'], /^\w{8}$/);
  const usual = await openNode(t, embeddedStore(t).store, { images, env });
  t.match((await usual.get(path())).headers['x-captcha-answer'], /^\w{6}$/);
});

t.test('any token other than forty letters and digits is not found and stores nothing', async (t) => {
  const { store } = embeddedStore(t);
  const node = await openNode(t, store, { images, env: { ...ON, RATE_LIMIT_NO_SCRIPT: '1' } });
  const names = [
    'a'.repeat(39),
    'a'.repeat(41),
    `${'a'.repeat(39)}-`,
    `${'a'.repeat(39)}%00`,
    `${'a'.repeat(39)}%0a`,
    '..%2f..%2fpow',
    '__proto__',
    `{${'a'.repeat(38)}}`,
    `${'é'.repeat(40)}`,
  ];
  for (const name of names) t.equal((await node.get(path(encodeURI(name)))).statusCode, 404, name);
  for (const url of [path().replace('.png', ''), path().replace('.png', '.gif'), '/api/captcha/no-script']) {
    t.equal((await node.get(url)).statusCode, 404, url);
  }
  t.equal((await node.inject({ method: 'POST', url: path() })).statusCode, 405);
  t.equal((await node.inject({ method: 'HEAD', url: path() })).statusCode, 200);
  t.equal((await node.get(path())).statusCode, 200, 'none of them counted');
});

t.test('a challenge issued in another way is not changed', async (t) => {
  await eachKind(t, async (t, { store }) => {
    const node = await openNode(t, store, { images, env: { ...ON, RATE_LIMIT_NO_SCRIPT: '1' } });
    const issued = await node.issueImage();
    const token = issued.slice('/api/captcha/'.length, -'.png'.length);
    const ordinary = await node.get(issued);
    const again = await node.get(path(token));
    t.ok(again.rawPayload.equals(ordinary.rawPayload));
    t.equal((await node.get(path())).statusCode, 200, 'it did not count');
  });
});
