// Files for widget pages: scripts with the service's URL, and the frame, allowed on the host names of its site.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openNode } from '../../../test/challenge-node.js';
import { readSites } from '../read-sites.js';
import { OWN_ORIGIN, openSites } from './served-sites.js';

const scripts = [
  '/api.js',
  '/recaptcha/api.js',
  '/recaptcha/enterprise.js',
  '/1/api.js',
  '/turnstile/v0/api.js',
];
const sites = await openSites(t, embeddedStore(t).store);
const load = (url: string, headers: Record<string, string> = {}) =>
  sites.inject({ method: 'GET', url: `/api/captcha${url}`, headers });

t.test("any page may load the scripts, which contain the service's URL", async (t) => {
  for (const path of scripts) {
    const { statusCode, headers, body } = await load(`${path}?onload=x&render=explicit&sentry=false`);
    t.equal(statusCode, 200, path);
    t.match(headers, {
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    t.ok(body.includes(`${OWN_ORIGIN}/api/captcha`) && !body.includes('service-address'), path);
    t.ok(body.length < 20_000, `${body.length} characters`);
  }
});

t.test('the path or the query selects the interfaces of a script', async (t) => {
  const has = async (url: string) => {
    const { body } = await load(url);
    return ['cf-turnstile-response', 'h-captcha-response', 'enterprise'].map((text) => body.includes(text));
  };
  t.same(await has('/api.js'), [true, true, true]);
  t.same(await has('/api.js?compat=nobody'), [true, true, true]);
  t.same(await has('/turnstile/v0/api.js'), [true, false, false]);
  t.same(await has('/api.js?compat=turnstile'), [true, false, false]);
  t.same(await has('/1/api.js?compat=turnstile'), [false, true, false]);
  t.same(await has('/recaptcha/api.js'), [false, false, true]);
});

t.test('compressed copies have the same content, and a cached one is not sent again', async (t) => {
  const plain = await load('/1/api.js');
  const brotli = await load('/1/api.js', { 'accept-encoding': 'gzip, br' });
  const gzip = await load('/1/api.js', { 'accept-encoding': 'gzip' });
  t.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body);
  t.equal(gunzipSync(gzip.rawPayload).toString(), plain.body);
  const again = await load('/1/api.js', {
    'accept-encoding': 'br',
    'if-none-match': String(brotli.headers.etag),
  });
  t.same([again.statusCode, again.body], [304, '']);
});

t.test('the frame is allowed on pages of its host names, with a strict policy', async (t) => {
  const { statusCode, headers, body } = await load('/sites/shop/frame?origin=https%3A%2F%2Fshop.example');
  t.equal(statusCode, 200);
  const policy = String(headers['content-security-policy']);
  t.match(policy, /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; /);
  t.match(policy, /; frame-ancestors http:\/\/shop\.example:\* https:\/\/shop\.example:\*/);
  t.match(headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  const [, script = ''] = /src="\.\.\/\.\.(\/v\/\w{16}\/frame\.js)"/.exec(body) ?? [];
  const loaded = await load(script);
  t.equal(loaded.statusCode, 200);
  t.equal(loaded.headers['cache-control'], 'public, max-age=31536000, immutable');
  t.equal((await load('/v/0123456789abcdef/frame.js')).headers.location, '../../frame.js');
  t.notOk(body.includes('data-problem'));
});

t.test('a page without permission or site gets a frame with an error and no function', async (t) => {
  for (const [path, status, problem] of [
    ['/sites/shop/frame?origin=https%3A%2F%2Fevil.example', 403, 'hostname'],
    ['/sites/nobody/frame', 404, 'sitekey'],
  ] as const) {
    const { statusCode, headers, body } = await load(path);
    t.equal(statusCode, status);
    t.match(headers['content-security-policy'], /frame-ancestors \*$/);
    t.match(body, `data-problem="${problem}"`);
  }
  const sandboxed = await load('/sites/shop/frame?origin=null');
  t.equal(sandboxed.statusCode, 403);
  t.notMatch(sandboxed.headers['content-security-policy'], 'frame-ancestors', 'which no such page meets');
  t.match(sandboxed.body, 'data-problem="hostname"');
  for (const origin of ['"><script>', 'shop.example']) {
    const { statusCode, headers, body } = await load(
      `/sites/shop/frame?origin=${encodeURIComponent(origin)}`,
    );
    t.equal(statusCode, 200, origin);
    t.match(headers['content-security-policy'], 'frame-ancestors http://shop.example:*');
    t.notOk(body.includes('"><script>'));
  }
  t.equal((await load('/sites/%22%3E/frame')).statusCode, 404);
});

t.test('the frame loads on international host names, and its policy names no IPv6 address', async (t) => {
  const ancestorsOf = async (...names: string[]) => {
    const text = JSON.stringify({ shop: { secret_sha256: 'a'.repeat(64), hostnames: names } });
    const { hostnames = [] } = readSites(text, '/').get('shop') ?? {};
    const open = await openSites(t, embeddedStore(t).store, { options: { hostnames } });
    const { statusCode, headers } = await open.inject({ url: '/api/captcha/sites/shop/frame' });
    t.equal(statusCode, 200, names.join());
    return /frame-ancestors (.*)$/.exec(String(headers['content-security-policy']))?.[1];
  };
  t.equal(
    await ancestorsOf('例え.shop.test', '*.bücher.test', '[::1]'),
    'http://xn--r8jz45g.shop.test:* https://xn--r8jz45g.shop.test:* http://*.xn--bcher-kva.test:* https://*.xn--bcher-kva.test:*',
  );
  t.equal(await ancestorsOf('[::1]'), "'none'");
});

t.test('any page may show the frame of a site that allows every host', async (t) => {
  const open = await openSites(t, embeddedStore(t).store, { options: { hostnames: ['*'], image: 'always' } });
  const { headers, body } = await open.inject({ method: 'GET', url: '/api/captcha/sites/shop/frame' });
  t.match(headers['content-security-policy'], /frame-ancestors \*$/);
  t.match(body, 'data-image="always"');
});

t.test('without sites these paths do not exist', async (t) => {
  const node = await openNode(t, embeddedStore(t).store);
  for (const path of [...scripts, '/sites/shop/frame', '/frame.js', '/v/0123456789abcdef/frame.js']) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT'] as const) {
      const { statusCode } = await node.inject({ method, url: `/api/captcha${path}` });
      t.equal(statusCode, 404, `${method} ${path}`);
    }
  }
});
