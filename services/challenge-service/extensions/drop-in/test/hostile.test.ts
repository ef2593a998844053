// 10,000 mutated requests at each site endpoint: no 5xx, and no bad request spends a valid token.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import { embeddedStore } from '@tollgate/test-support/stores.js';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import t from 'tap';
import { ORIGINS, openSites, SECRETS } from './served-sites.js';

const REQUESTS = 10_000;
const AT_ONCE = 50;

/** Without logging, which takes as long as everything else. */
const QUIET = { level: 'error' } as const;

const junk = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom(
    '',
    '\0',
    '__proto__',
    'constructor',
    '../..',
    '%',
    '%00',
    '%zz',
    '{',
    '}',
    '"',
    ' ',
    '..',
    '😀',
  ),
  fc.stringMatching(/^[A-Za-z0-9]{40}$/),
  fc.integer().map(String),
);
const anything = fc.oneof(
  junk,
  fc.integer(),
  fc.double(),
  fc.constantFrom(null, true, [], {}, [[]], { a: 1 }),
  fc.array(junk, { maxLength: 3 }),
);
/** A text with some characters replaced, removed or doubled. */
const mutated = (text: string) =>
  fc.tuple(fc.nat(Math.max(0, text.length - 1)), fc.nat(4), junk).map(([at, length, by]) => {
    return text.slice(0, at) + by.slice(0, length) + text.slice(at + (length % 3));
  });

/** Any text in a URL, lone surrogates included. */
const percentEncoded = (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** Sends that many different requests, several at a time, and checks every response. */
async function flood(
  sites: Awaited<ReturnType<typeof openSites>>,
  requests: fc.Arbitrary<InjectOptions>,
  check: (status: number, body: string) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  const all = fc.sample(requests, { numRuns: REQUESTS, seed: 20 });
  for (let from = 0; from < all.length; from += AT_ONCE) {
    await Promise.all(
      all.slice(from, from + AT_ONCE).map(async (request) => {
        const { statusCode, body } = await sites.inject(request);
        if (statusCode >= 500 || !check(statusCode, body)) {
          wrong.push(`${statusCode} ${body} for ${JSON.stringify(request)}`);
        }
      }),
    );
  }
  return wrong.slice(0, 3);
}

t.test('issuing', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, QUIET);
  const requests = fc.record({
    url: fc
      .tuple(
        fc.oneof(junk, mutated('shop'), fc.constant('shop')),
        fc.constantFrom('/pow', '', '/x.png'),
        junk,
        junk,
      )
      .map(([key, path, name, value]) => {
        const query = `${percentEncoded(name)}=${percentEncoded(value)}`;
        return `/api/captcha/sites/${percentEncoded(key)}${path}?min_difficulty=${percentEncoded(value)}&${query}`;
      }),
    headers: fc.record({ origin: fc.stringMatching(/^[ -~]{0,40}$/) }),
  });
  t.strictSame(await flood(sites, requests as fc.Arbitrary<InjectOptions>, () => true), []);
});

t.test('redeeming', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, QUIET);
  const good = await sites.work('shop');
  const ofForum = await sites.work('forum');
  const origin = fc.oneof(
    fc.constantFrom<string>(...Object.values(ORIGINS), 'null', 'https://gate.test'),
    fc.stringMatching(/^[ -~]{0,40}$/),
  );
  const token = fc.oneof(
    mutated(good.pow_token).filter((text) => text !== good.pow_token),
    fc.constant(ofForum.pow_token),
    anything,
  );
  const fields = fc.record(
    {
      pow_token: token,
      pow_nonce: fc.oneof(mutated(good.pow_nonce), anything),
      captcha_token: anything,
      captcha: anything,
      api: anything,
      action: anything,
      cdata: anything,
      origin: fc.oneof(anything, origin),
    },
    { requiredKeys: [] },
  );
  // A valid token with a malformed nonce.
  const withToken = fc
    .tuple(fields, fc.constantFrom('x', '', ' 1', '1e3', '-1', '1'.repeat(25), null, 7))
    .map(([body, pow_nonce]) => ({ ...body, pow_token: good.pow_token, pow_nonce }));
  const payload = fc.oneof(
    fc.oneof(fields, withToken).map((body) => JSON.stringify(body)),
    mutated(JSON.stringify({ ...good, pow_nonce: 'xxxx' })),
    junk,
  );
  const requests = fc.record({
    method: fc.constant('POST' as const),
    url: fc
      .constantFrom('shop', 'forum', 'nobody', '__proto__')
      .map((key) => `/api/captcha/sites/${key}/redeem`),
    headers: fc.record({
      origin,
      'content-type': fc.constantFrom(
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'x',
      ),
    }),
    payload,
  });
  t.strictSame(await flood(sites, requests, (status) => status !== 200), []);
  t.equal((await sites.redeem('shop', good)).statusCode, 200, 'and the good work is still good');
  t.equal((await sites.redeem('forum', ofForum)).statusCode, 200);
});

t.test('verifying', async (t) => {
  const sites = await openSites(t, embeddedStore(t).store, QUIET);
  const receipt = await sites.receipt('shop');
  const response = fc.oneof(
    mutated(receipt).filter((text) => text !== receipt),
    anything,
  );
  const bad = fc.record(
    {
      secret: fc.oneof(fc.constant<unknown>(SECRETS.shop), mutated(SECRETS.shop), anything),
      response,
      remoteip: anything,
      sitekey: anything,
      idempotency_key: anything,
    },
    { requiredKeys: [] },
  );
  // A valid receipt with the secret of another site.
  const wrongSecret = fc
    .tuple(bad, fc.oneof(mutated(SECRETS.shop), fc.constant(SECRETS.forum), junk))
    .filter(([, secret]) => secret !== SECRETS.shop)
    .map(([fields, secret]) => ({ ...fields, secret, response: receipt }));
  const fields = fc.oneof(bad, wrongSecret);
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const encodings: ((fields: object) => { type: string; payload: string })[] = [
    (body) => ({ type: 'application/json', payload: JSON.stringify(body) }),
    (body) => ({
      type: 'application/x-www-form-urlencoded',
      payload: String(
        new URLSearchParams(
          Object.entries(body).map(([name, value]) => [name, text(value)] as [string, string]),
        ),
      ),
    }),
    (body) => ({
      type: 'multipart/form-data; boundary=----boundary',
      payload: `${Object.entries(body)
        .map(
          ([name, value]) =>
            `------boundary\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text(value)}\r\n`,
        )
        .join('')}------boundary--\r\n`,
    }),
  ];
  const encoded = fc.tuple(fields, fc.constantFrom(...encodings)).map(([body, encode]) => encode(body));
  // Invalid encoding: the decoded secret is never complete.
  const broken = encoded.chain(({ type, payload }) =>
    fc
      .tuple(
        mutated(payload.replaceAll(SECRETS.shop, 'x')),
        fc.constantFrom(type, 'x', '', 'multipart/form-data'),
      )
      .map(([damaged, declared]) => ({ type: declared, payload: damaged })),
  );
  const requests = fc
    .tuple(fc.oneof(encoded, broken), fc.constantFrom('/siteverify', '/recaptcha/api/siteverify'), junk)
    .map(([{ type, payload }, path, query]) => ({
      method: 'POST' as const,
      url: `/api/captcha${path}?${percentEncoded(query)}`,
      headers: { 'content-type': type },
      payload,
    }));
  const byQuery = fields.map((body) => ({
    method: 'GET' as const,
    url: `/api/captcha/siteverify?${Object.entries(body)
      .map(([name, value]) => `${name}=${percentEncoded(text(value) ?? '')}`)
      .join('&')}`,
  }));
  const isRefusal = (status: number, body: string) => status === 200 && JSON.parse(body).success === false;
  t.strictSame(await flood(sites, fc.oneof(requests, byQuery), isRefusal), []);
  t.match(await sites.verdict('shop', receipt), { success: true }, 'and the good receipt is still good');
});
