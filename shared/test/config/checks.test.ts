// Errors in combinations of variables, and in values of the right type.

import { randomBytes } from 'node:crypto';
import t from 'tap';
import { checkApplicationKeys } from '../../src/config/application-keys.js';
import {
  checkCookiePrefix,
  checkCorsOrigin,
  checkHttp,
  checkPublicUrl,
  checkStores,
  checkTestMode,
  checkTrustProxy,
  plainHttpWarning,
} from '../../src/config/checks.js';
import { checkSecrets } from '../../src/config/secrets.js';

const secret = (letter: string) => `0123456789abcdefghijklmnopqrstu${letter}`;

t.test('secrets of 32 characters that all differ are valid, in lists too', async (t) => {
  t.same(checkSecrets({ A: secret('a'), B: `${secret('b')},${secret('c')}`, C: undefined }), []);
});

t.test('invalid secrets stop the start without being shown', async (t) => {
  const cases: [Record<string, string>, string][] = [
    [{ A: 'a'.repeat(31) }, 'A must have at least 32 characters in each element'],
    [{ A: '😀'.repeat(16) }, 'A must have at least 32 characters in each element'],
    [{ A: `${secret('a')},short` }, 'A must have at least 32 characters in each element'],
    [{ A: `${secret('a')},` }, 'A must not have an empty element'],
    [{ A: `,${secret('a')}` }, 'A must not have an empty element'],
    // The old key of a rotation was another one: everybody was logged out.
    [{ A: `${secret('b')}, ${secret('a')}` }, 'A must not have white space around an element'],
    [{ A: `${secret('a')}\n` }, 'A must not have white space around an element'],
    [{ A: `${secret('a')},${secret('a')}` }, 'A must not have the same element twice'],
    [{ A: secret('a'), B: secret('a') }, 'B must not share an element with A'],
    [{ A: secret('a'), B: `${secret('b')},${secret('a')}` }, 'B must not share an element with A'],
  ];
  for (const [lists, line] of cases) t.same(checkSecrets(lists), [line]);
});

t.test('a cookie prefix requires https', async (t) => {
  for (const COOKIE_PREFIX of ['__Secure-', '__Host-']) {
    t.same(checkCookiePrefix({ COOKIE_PREFIX, PUBLIC_URL: 'https://localhost:8443' }), []);
    t.same(checkCookiePrefix({ COOKIE_PREFIX, PUBLIC_URL: 'http://localhost:8080' }), [
      'COOKIE_PREFIX must be unset unless PUBLIC_URL begins with https://, not "http://localhost:8080"',
    ]);
  }
  t.same(checkCookiePrefix({ PUBLIC_URL: 'http://localhost:8080' }), []);
});

t.test('PUBLIC_URL is an http or https address', async (t) => {
  for (const url of [
    'http://localhost:8080',
    'https://example.com/',
    'https://example.com/auth',
    'HTTPS://EXAMPLE.COM',
  ]) {
    t.same(checkPublicUrl({ PUBLIC_URL: url }), [], url);
  }
  for (const url of [
    'example.com',
    'ftp://example.com',
    'https:example.com',
    'https://',
    ' https://example.com',
    'https://exa mple.com',
    'https://example.com?x=1',
    'https://example.com/?',
    'https://example.com#top',
    'https://user:hunter2@example.com',
    'https://hunter2@example.com',
    'https://:hunter2@example.com',
    'https://example.com\\@evil.example',
    'javascript:alert(1)',
  ]) {
    const lines = checkPublicUrl({ PUBLIC_URL: url });
    t.equal(lines.length, 1, url);
    t.match(lines[0], /^PUBLIC_URL must be /);
    t.notMatch(lines[0], 'hunter2');
  }
});

t.test('in production PUBLIC_URL is encrypted or local to the machine', async (t) => {
  const check = (url: string) => checkPublicUrl({ PUBLIC_URL: url, NODE_ENV: 'production' });
  for (const url of ['https://example.com', 'http://localhost:8080', 'http://127.0.0.1', 'http://[::1]:80']) {
    t.same(check(url), [], url);
  }
  for (const url of [
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
  ]) {
    t.match(check(url), [/^PUBLIC_URL must begin with https:\/\//], url);
  }
});

t.test('CORS_ORIGIN is an exact origin', async (t) => {
  for (const origin of ['https://app.example.com', 'http://localhost:5173', undefined]) {
    t.same(checkCorsOrigin(origin), [], String(origin));
  }
  const cases: [string, string][] = [
    [
      'https://app.example.com/',
      'CORS_ORIGIN must be https://app.example.com, not "https://app.example.com/"',
    ],
    [
      'https://app.example.com:443',
      'CORS_ORIGIN must be https://app.example.com, not "https://app.example.com:443"',
    ],
    ['https://App.example.com', 'CORS_ORIGIN must be https://app.example.com, not "https://App.example.com"'],
    ['*', 'CORS_ORIGIN must be one origin such as https://app.example.com'],
    ['null', 'CORS_ORIGIN must be one origin such as https://app.example.com'],
    [
      'https://a.example, https://b.example',
      'CORS_ORIGIN must be one origin such as https://app.example.com',
    ],
    ['https://a.example,https://b.example', 'CORS_ORIGIN must be one origin such as https://app.example.com'],
  ];
  for (const [origin, line] of cases) t.same(checkCorsOrigin(origin), [line]);
});

t.test('TRUST_PROXY accepts addresses, ranges and two names', async (t) => {
  t.same(checkTrustProxy(undefined), []);
  t.same(
    checkTrustProxy(['loopback', 'uniquelocal', '10.0.0.1', '10.0.0.0/8', '2001:db8::1', '2001:db8::/32']),
    [],
  );
  t.match(checkTrustProxy(['1']), [
    /^TRUST_PROXY must list the proxies' addresses, not "1": a number of hops/,
  ]);
  t.match(checkTrustProxy(['0.0.0.0/0', '::/0']), [/must not trust everybody/, /must not trust everybody/]);
  const wrong = [
    'true',
    'linklocal',
    'proxy.internal',
    'proxy.internal/8',
    '10.0.0.1/33',
    '::1/129',
    '10.0.0.0/8/8',
    '10.1',
    '10.0.0.0/',
    '10.0.0.0/255.0.0.0',
  ];
  for (const proxy of wrong)
    t.match(checkTrustProxy([proxy]), [/^TRUST_PROXY must contain addresses/], proxy);
});

t.test('the embedded store requires permission in production', async (t) => {
  const production = { NODE_ENV: 'production' };
  t.same(checkStores({}, ['STORE_URL']), []);
  t.match(checkStores(production, ['STORE_URL', 'CAPTCHA_CACHE_STORE']), [/^STORE_URL must name a Redis/]);
  t.same(checkStores({ ...production, ALLOW_EMBEDDED: true }, ['STORE_URL']), []);
  t.same(checkStores({ ...production, STORE_URL: 'redis://h' }, ['STORE_URL', 'CAPTCHA_CACHE_STORE']), []);
});

t.test('only the stores in use are checked', async (t) => {
  const values = { NODE_ENV: 'production', CAPTCHA_CACHE_STORE: 'redis://h' };
  t.same(checkStores(values, ['CAPTCHA_CACHE_STORE']), []);
  t.match(checkStores(values, ['STORE_URL', 'CAPTCHA_CACHE_STORE']), [/^STORE_URL /]);
});

t.test('an invalid store address is not repeated, because it may contain a password', async (t) => {
  for (const STORE_URL of [
    'postgres://u:hunter2@h',
    'redis+sentinel://u:hunter2@h',
    'redis+cluster://u:%zz@h',
    'hunter2',
  ]) {
    const lines = checkStores({ STORE_URL }, ['STORE_URL']);
    t.equal(lines.length, 1, STORE_URL);
    t.match(lines[0], /^STORE_URL /);
    t.notMatch(lines[0], 'hunter2');
  }
  t.match(checkStores({ CAPTCHA_CACHE_STORE: 'x' }, ['CAPTCHA_CACHE_STORE']), [
    /^CAPTCHA_CACHE_STORE must be file:/,
  ]);
});

t.test('test mode is rejected in production and on reachable addresses', async (t) => {
  const check = (PUBLIC_URL: string, NODE_ENV?: string) =>
    checkTestMode({ CAPTCHA_TEST_MODE: true, PUBLIC_URL, NODE_ENV });
  for (const url of [
    'http://localhost:1',
    'http://127.0.0.1',
    'http://[::1]',
    'http://a.localhost',
    'https://a.b.test',
    'http://web',
  ]) {
    t.same(check(url), [], url);
    t.match(check(url, 'production'), [/^CAPTCHA_TEST_MODE must be false with NODE_ENV=production/], url);
  }
  for (const url of [
    'https://example.com',
    'http://10.0.0.1',
    'http://[2001:db8::1]',
    'http://a.test.example',
  ]) {
    t.match(check(url), [/^CAPTCHA_TEST_MODE must be false unless PUBLIC_URL is loopback/], url);
  }
  t.same(
    checkTestMode({ CAPTCHA_TEST_MODE: false, PUBLIC_URL: 'https://example.com', NODE_ENV: 'production' }),
    [],
  );
});

t.test('a warning names the address whose cookies browsers drop, and the consequence', async (t) => {
  for (const PUBLIC_URL of ['http://192.168.1.5', 'http://intranet:8080', 'http://auth.example/x']) {
    t.match(
      plainHttpWarning({ PUBLIC_URL }),
      [/^PUBLIC_URL http:.* browsers drop its Secure cookies/],
      PUBLIC_URL,
    );
  }
  for (const PUBLIC_URL of ['http://localhost:8080', 'http://127.0.0.1', 'https://192.168.1.5']) {
    t.strictSame(plainHttpWarning({ PUBLIC_URL }), [], PUBLIC_URL);
  }
});

t.test('a PUBLIC_URL with a path that no cookie can have stops the start with a line', async (t) => {
  t.match(checkPublicUrl({ PUBLIC_URL: 'https://example.com/a;b' }), [
    /^PUBLIC_URL must have no ; in its path/,
  ]);
  for (const path of ["/a,b'c=d&e", '/ä/ö', '/a%3Bb', '/~a/"b"']) {
    t.strictSame(checkPublicUrl({ PUBLIC_URL: `https://example.com${path}` }), [], path);
  }
});

t.test('the network checks return all their lines, and require no value', async (t) => {
  t.same(checkHttp({}), []);
  const lines = checkHttp({ PUBLIC_URL: 'x', CORS_ORIGIN: 'x', TRUST_PROXY: ['2'] });
  t.same(
    lines.map((line) => line.split(' ')[0]),
    ['PUBLIC_URL', 'CORS_ORIGIN', 'TRUST_PROXY'],
  );
});

t.test('secrets of equal letters or of a repeated pattern are rejected', async (t) => {
  const weak = [
    'a'.repeat(32),
    'ab'.repeat(20),
    '1234567'.repeat(5),
    'changeme'.repeat(4),
    'passwordpasswordpasswordpassword1',
    '0123456789abcdef0123456789abcdef',
    `${'a'.repeat(24)}bcdefghi`,
    // Seven different characters without a pattern.
    'abcdefggfedcbaacegbdfbadgcfebdae',
  ];
  for (const secret of weak) {
    const [line = '', ...more] = checkSecrets({ A: secret });
    t.match(line, /^A is too easy to guess.*openssl rand -hex 32$/);
    t.strictSame(more, []);
    t.notOk(line.includes(secret));
    t.match(checkApplicationKeys({ HOST_API_KEY: secret }), [/^HOST_API_KEY is too easy to guess/]);
    t.match(checkApplicationKeys({ HOST_API_KEYS: `shop:${secret}` }), [
      /^HOST_API_KEYS: element 1 is too easy/,
    ]);
  }
  for (let at = 0; at < 1000; at++) {
    for (const size of [16, 32, 64]) {
      t.same(checkSecrets({ A: randomBytes(size).toString('hex') }), []);
      t.same(checkSecrets({ A: randomBytes(Math.max(size, 24)).toString('base64url') }), []);
    }
  }
});
