// The response language.

import Fastify from 'fastify';
import t from 'tap';
import { chooseLanguage, readableRanges } from '../../../src/http/errors/language.js';
import { appendVary } from '../../../src/http/server/responses.js';
import { ar } from '../../../src/messages/ar.js';
import { en } from '../../../src/messages/en.js';
import { fr } from '../../../src/messages/fr.js';
import { buildSharedApp } from '../shared-app.js';

t.test('the best language is chosen, or English without a match', async (t) => {
  const cases: [string | undefined, string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['fr', 'fr'],
    ['FR-ca', 'fr'],
    ['ar-EG', 'ar'],
    ['eo, fr;q=0.5', 'fr'],
    ['en;q=0.4, fr;q=0.5, ar;q=0.9', 'ar'],
    ['en;q=0.5,fr;q=0.5', 'en'],
    ['fr;q=0, ar;q=0.1', 'ar'],
    ['eo', 'en'],
    ['de-AT', 'de'],
    ['zh-TW', 'zh-Hant'],
    ['zh-hk,zh;q=0.9,en;q=0.8', 'zh-Hant'],
    ['zh-Hant-MO', 'zh-Hant'],
    ['zh-CN,zh;q=0.9', 'zh'],
    ['zh', 'zh'],
    ['pt', 'pt'],
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
    ['pt-PT,pt;q=0.9,en;q=0.8', 'pt-PT'],
    ['pt-MZ', 'pt-PT'],
    ['*', 'en'],
    ['*;q=0.1, fr;q=0.2', 'fr'],
    ['en;q=0, fr;q=0, ar;q=0', 'en'],
    ['fr;q=nonsense', 'en'],
    [',,,;;;=', 'en'],
    ['__proto__', 'en'],
    ['fr'.repeat(5000), 'en'],
    [`${'x,'.repeat(19)}fr`, 'fr'],
    [`${'x,'.repeat(20)}fr`, 'en'],
    [`${'x,'.repeat(8000)}fr`, 'en'],
  ];
  for (const [header, language] of cases) {
    t.equal(chooseLanguage(header), language, JSON.stringify(header?.slice(0, 40) ?? null));
  }
});

t.test('sixteen kilobytes of languages are truncated before they are parsed', async (t) => {
  t.equal(readableRanges('a,'.repeat(8192)), Array(20).fill('a').join());
  t.equal(readableRanges('a'.repeat(16_384)), '');
  t.equal(readableRanges(`fr;q=0.9,${'a'.repeat(16_384)}`), 'fr;q=0.9');
  const header = 'de-CH, fr;q=0.9, en;q=0.8, *;q=0.5';
  t.equal(readableRanges(header), header);
  const language = `${'x'.repeat(250)},fr-CA`;
  t.equal(readableRanges(language), language, 'a header of just the length is read whole');
  t.equal(readableRanges(`${language};q=0.1`), 'x'.repeat(250), 'a range is read whole or not at all');
  t.equal(readableRanges(`${language},en`), language);
});

t.test("an error is in the request's language and names it in Content-Language", async (t) => {
  const { app } = await buildSharedApp(t);
  for (const [language, texts] of Object.entries({ en, fr, ar })) {
    const response = await app.inject({
      method: 'POST',
      url: '/form',
      headers: { 'accept-language': language },
      payload: {},
    });
    t.same(response.json(), {
      message: texts.validation_failed,
      code: 'validation_failed',
      errors: { email: [texts.required] },
    });
    t.equal(response.headers['content-language'], language);
    t.equal(response.headers.vary, 'Origin, Accept-Language');
  }
});

t.test('a response without texts does not vary by language', async (t) => {
  const { app } = await buildSharedApp(t);
  const { headers } = await app.inject({ url: '/things/abc', headers: { 'accept-language': 'fr' } });
  t.equal(headers.vary, 'Origin');
  t.notOk('content-language' in headers);
});

t.test('Vary keeps its fields without duplicates', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  app.get<{ Querystring: { vary?: string } }>('/', async ({ query }, reply) => {
    if (query.vary !== undefined) reply.header('vary', query.vary.split('|'));
    appendVary(reply, 'Accept-Language');
    return '';
  });
  const cases: [string, string | string[]][] = [
    ['/', 'Accept-Language'],
    ['/?vary=Origin', 'Origin, Accept-Language'],
    ['/?vary=Origin|Cookie', 'Origin, Cookie, Accept-Language'],
    ['/?vary=accept-language', ['accept-language']],
    ['/?vary=*', ['*']],
  ];
  for (const [url, vary] of cases) t.same((await app.inject(url)).headers.vary, vary, url);
});
