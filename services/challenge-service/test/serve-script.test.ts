// The browser script served by the service: file names, caching, compressed copies.

import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import t from 'tap';
import { openNode } from './challenge-node.js';

const node = await openNode(t, embeddedStore(t).store, { env: { CORS_ORIGIN: 'https://app.example.com' } });
const load = (url: string, headers: Record<string, string> = {}) =>
  node.inject({ method: 'GET', url: `/api/captcha${url}`, headers });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

t.test('a page of any origin may load it and start workers from it', async (t) => {
  const { statusCode, headers, body } = await load('/tollgate.js', { origin: 'https://shop.example' });
  t.equal(statusCode, 200);
  t.match(headers, {
    'content-type': 'text/javascript; charset=utf-8',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'content-security-policy': /script-src 'self' 'wasm-unsafe-eval'/,
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=300',
    vary: 'Accept-Encoding',
  });
  t.notOk('access-control-allow-credentials' in headers, 'which browsers refuse beside *');
  t.match(body, 'tollgate-challenge');
  t.equal((await load('/tollgate/fr.js')).statusCode, 200);
});

t.test(
  'the smallest copy that the client accepts is sent, and all copies have the same content',
  async (t) => {
    const plain = (await load('/tollgate.js')).rawPayload;
    const copies = [
      { accepts: 'gzip, deflate, br, zstd', encoding: 'br', open: brotliDecompressSync },
      { accepts: 'br;q=0.1, gzip', encoding: 'br', open: brotliDecompressSync },
      { accepts: 'gzip', encoding: 'gzip', open: gunzipSync },
      { accepts: 'br;q=0, gzip;q=0.5', encoding: 'gzip', open: gunzipSync },
      { accepts: 'zstd', encoding: undefined, open: (bytes: Buffer) => bytes },
      { accepts: ',;q=x,'.repeat(2_000), encoding: undefined, open: (bytes: Buffer) => bytes },
    ];
    for (const { accepts, encoding, open } of copies) {
      const { headers, rawPayload } = await load('/tollgate.js', { 'accept-encoding': accepts });
      t.equal(headers['content-encoding'], encoding, accepts.slice(0, 40));
      t.equal(headers['content-length'], String(rawPayload.length));
      t.equal(sha256(open(rawPayload)), sha256(plain));
    }
  },
);

t.test('a cached copy is not sent again', async (t) => {
  const { headers } = await load('/tollgate.js', { 'accept-encoding': 'br' });
  const etag = String(headers.etag);
  t.not(etag, (await load('/tollgate.js')).headers.etag, 'each encoding has a tag of its own');
  for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
    const again = await load('/tollgate.js', { 'accept-encoding': 'br', 'if-none-match': known });
    t.equal(again.statusCode, 304, known);
    t.equal(again.body, '');
    t.match(again.headers, { etag, 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' });
  }
  const other = await load('/tollgate.js', { 'accept-encoding': 'br', 'if-none-match': '"other"' });
  t.equal(other.statusCode, 200);
});

t.test('a versioned name is cached forever, and an outdated one leads to the current file', async (t) => {
  const { version } = node.browserFiles;
  for (const file of ['tollgate.js', 'classic.js', 'tollgate/ar.js']) {
    const { statusCode, headers, body } = await load(`/v/${version}/${file}`);
    t.equal(statusCode, 200);
    t.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.equal(body, (await load(`/${file}`)).body);

    const gone = `/v/0123456789abcdef/${file}`;
    const moved = await load(gone);
    t.equal(moved.statusCode, 302);
    t.match(moved.headers, { 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
    const { pathname } = new URL(
      String(moved.headers.location),
      `https://auth.example.com/api/captcha${gone}`,
    );
    t.equal(pathname, `/api/captcha/${file}`);
  }
});

t.test('HEAD responds like GET, without the file', async (t) => {
  const { version } = node.browserFiles;
  const known = { 'if-none-match': String((await load('/tollgate.js')).headers.etag) };
  for (const [url, asked, status] of [
    ['/tollgate.js', {}, 200],
    ['/tollgate.js', { 'accept-encoding': 'br' }, 200],
    ['/tollgate.js', known, 304],
    ['/classic.js', {}, 200],
    ['/tollgate/fr.js', {}, 200],
    [`/v/${version}/tollgate.js`, {}, 200],
    [`/v/${version}/tollgate/ar.js`, {}, 200],
    ['/v/0123456789abcdef/tollgate.js', {}, 302],
    ['/tollgate/xx.js', {}, 404],
  ] as const) {
    const got = await load(url, asked);
    const head = await node.inject({ method: 'HEAD', url: `/api/captcha${url}`, headers: asked });
    t.equal(head.statusCode, status, url);
    t.equal(head.body, '');
    const unlike = { date: undefined, 'x-request-id': undefined, 'content-length': undefined };
    t.same({ ...head.headers, ...unlike }, { ...got.headers, ...unlike }, url);
    const length = status === 304 ? undefined : String(got.rawPayload.length);
    t.equal(head.headers['content-length'], length);
  }
});

t.test('no other name is served', async (t) => {
  const paths = [
    '/tollgate/xx.js',
    '/tollgate/en.js',
    '/tollgate/..%2ftollgate.js',
    '/tollgate/%2e%2e/%2e%2e/server.js',
    '/tollgate/fr.js.br',
    '/tollgate.js.gz',
    '/v/0123456789abcdef/tollgate/__proto__.js',
    '/v/constructor/tollgate.js',
    '/v/0123456789ABCDEF/tollgate.js',
    '/v/0123456789abcdef0/tollgate.js',
    `/tollgate/${'a'.repeat(10_000)}.js`,
  ];
  for (const path of paths) {
    const { statusCode, headers } = await load(path);
    t.equal(statusCode, 404, path.slice(0, 60));
    t.equal(headers['cache-control'], 'no-store');
  }
});
