// Requests of every kind to every documented route: each response is documented.

import fc from 'fast-check';
import t from 'tap';
import { SITES, startDocumentedSite } from '../gateway/documented-site.js';
import { KEYS } from '../monitoring/site-traffic.js';
import { ask } from '../throw-away-service.js';
import { type Received, undocumented } from './contract.js';

t.setTimeout(300_000);

const ORIGIN = 'http://localhost:8080';
const RUNS = 60;

const site = await startDocumentedSite(t, { PUBLIC_URL: ORIGIN, SITES });

const parameter = fc.constantFrom(
  'a'.repeat(40),
  '0'.repeat(16),
  'fr',
  'xx',
  'shop',
  'none',
  '1',
  '%00',
  '%zz',
);
const key = fc.constantFrom('', KEYS.SESSION_API_KEY, KEYS.HOST_API_KEY, 'forged');
const headers = fc.record(
  {
    authorization: key.map((value) => `Bearer ${value}`),
    origin: fc.constantFrom(ORIGIN, 'https://shop.example', 'https://evil.example', 'null'),
    cookie: fc.constantFrom('refreshToken=x', 'refreshToken=x; refreshToken=y', 'x=1'),
    accept: fc.constantFrom('text/html', 'application/json', '*/*'),
    'accept-language': fc.constantFrom('fr', 'zz', 'de, en'),
    'content-encoding': fc.constant('gzip'),
    'x-forwarded-host': fc.constantFrom('gated.test', 'other.test'),
    'if-none-match': fc.constant('*'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin'),
    'x-requested-with': fc.constant('XMLHttpRequest'),
  },
  { requiredKeys: [] },
);
const field = fc.constantFrom(
  ...['email', 'password', 'code', 'pow_token', 'pow_nonce', 'captcha_token', 'captcha', 'preset', 'scope'],
  ...['key', 'secret', 'response', 'sitekey', 'origin', 'submission', 'old_password', 'new_password', 'x'],
);
const value = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.jsonValue({ maxDepth: 1 }));
const fields = fc.dictionary(field, value, { maxKeys: 6 });
/** The fields of a form. */
const form = fc
  .dictionary(field, fc.string({ unit: 'grapheme', maxLength: 50 }), { maxKeys: 6 })
  .map((each) => String(new URLSearchParams(each)));
const body = fc.oneof(
  fc.record({ type: fc.constant('application/json'), text: fields.map((each) => JSON.stringify(each)) }),
  fc.record({
    type: fc.constant('application/x-www-form-urlencoded'),
    text: form,
  }),
  fc.record({
    type: fc.constantFrom(
      'application/json',
      'text/plain',
      'multipart/form-data; boundary=x',
      'text/xml',
      '',
    ),
    text: fc.constantFrom('', '{', '[]', '"x"', 'x=1', '--x--', 'x'.repeat(70_000)),
  }),
);
const query = fc.oneof(
  fc.constant(''),
  form.map((each) => `?${each}`),
);

for (const operation of site.operations) {
  const { listener, method, pattern } = operation;
  t.test(`${method} ${pattern} on ${listener} sends only documented responses`, async (t) => {
    await fc.assert(
      fc.asyncProperty(parameter, headers, body, query, async (name, given, { type, text }, search) => {
        const isRead = method === 'GET';
        const own = isRead
          ? {}
          : {
              ...(type !== '' && { 'content-type': type }),
              'content-length': String(Buffer.byteLength(text)),
            };
        const path = `${pattern.replace(/\{\w+\}/g, name)}${search}`;
        const response = await ask(`http://${site.at[listener]}${path}`, {
          method,
          headers: { ...given, ...own },
          body: isRead ? '' : text,
        });
        const found = undocumented(site.documents[listener], operation, received(response));
        if (found.length > 0) throw new Error(`${found} at ${path}`);
      }),
      { numRuns: RUNS },
    );
    t.pass(`${RUNS} requests`);
  });
}

function received({ status, headers, text }: Awaited<ReturnType<typeof ask>>): Received {
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { status, headers, ...(isJson && { json: JSON.parse(text) }) };
}

t.test('every path parameter is documented', async (t) => {
  for (const [listener, { paths }] of Object.entries(site.documents)) {
    for (const [pattern, item] of Object.entries(paths)) {
      const inPath = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      for (const { parameters = [] } of Object.values(item)) {
        const named = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
        t.strictSame(named.sort(), inPath, `${listener} ${pattern}`);
      }
    }
  }
});
