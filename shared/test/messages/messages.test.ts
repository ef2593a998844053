// Messages for users, and the language of a response.

import Fastify from 'fastify';
import t from 'tap';
import { chooseLanguage, readableRanges } from '../../src/http/errors/language.js';
import { appendVary } from '../../src/http/server/responses.js';
import { ar } from '../../src/messages/ar.js';
import { en, type MessageKey } from '../../src/messages/en.js';
import { fr } from '../../src/messages/fr.js';
import { isMessageKey, languages, messageIn, rightToLeft } from '../../src/messages/messages.js';
import { buildSharedApp } from '../http/shared-app.js';

const keys = Object.keys(en) as MessageKey[];

t.test('a text has the same parameters in every language', async (t) => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const key of keys) {
    for (const language of languages) {
      t.same(places(messageIn(language, key)), places(en[key]), `${key} in ${language}`);
    }
  }
});

/** Regional differences from the language's own texts: some sentences are the same. */
const variants: readonly string[] = ['pt-PT', 'zh-Hant'];

t.test('no text is empty, and only technical terms are the same in two languages', async (t) => {
  for (const key of keys) {
    const texts = languages.map((language) => messageIn(language, key));
    t.ok(
      texts.every((text) => /[.!?。।]$/u.test(text)),
      `${key} ends like a sentence`,
    );
    const own = languages.filter((language) => !variants.includes(language));
    t.equal(
      new Set(own.map((language) => messageIn(language, key))).size,
      own.length,
      `${key} is translated`,
    );
  }
  for (const [variant, language] of [
    ['pt-PT', 'pt'],
    ['zh-Hant', 'zh'],
  ] as const) {
    const same = keys.filter((key) => messageIn(variant, key) === messageIn(language, key));
    t.ok(same.length < keys.length / 2, `${variant}: ${same}`);
  }
});

t.test("languages and their directions equal the form element's", async (t) => {
  t.equal(languages[0], 'en');
  t.equal(languages.length, 17);
  t.same(
    languages.filter((language) => rightToLeft.includes(language)),
    ['ar', 'he'],
  );
});

t.test('texts are written in the script of their language', async (t) => {
  const scripts = {
    ar: /\p{Script=Arabic}/u,
    he: /\p{Script=Hebrew}/u,
    hi: /\p{Script=Devanagari}/u,
    ja: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    ru: /\p{Script=Cyrillic}/u,
    zh: /\p{Script=Han}/u,
    'zh-Hant': /\p{Script=Han}/u,
  } as const;
  for (const key of keys) {
    for (const language of Object.keys(scripts) as (keyof typeof scripts)[])
      t.match(messageIn(language, key), scripts[language], `${key} in ${language}`);
  }
});

t.test(
  'rejections of an answer do not mention an image, because parts of work and custom types use them too',
  async (t) => {
    const image =
      /image|characters|caract|caratter|zeichen|tekens|\bbild|imag[ei]|immagin|afbeelding|obraz|znak|изображ|символ|resim|karakter|छवि|वर्ण|תמונה|תווים|画像|文字|图片|字符|圖片|字元|صورة|الأحرف/i;
    for (const key of ['captcha_invalid', 'captcha_required', 'wrong_answer'] as const) {
      for (const language of languages) t.notMatch(messageIn(language, key), image, `${key} in ${language}`);
    }
  },
);

t.test('parameters are inserted at their places', async (t) => {
  t.equal(messageIn('en', 'too_short', { limit: 8 }), 'This value is too short (minimum length: 8).');
  t.equal(
    messageIn('fr', 'too_long', { limit: 64 }),
    'Cette valeur est trop longue (longueur maximale\u00a0: 64).',
  );
});

t.test('a placeholder without a parameter is unchanged, and inherited names are no parameters', async (t) => {
  t.match(messageIn('en', 'too_short', { toString: 1 }), '{limit}');
  t.match(messageIn('en', 'too_short', Object.create({ limit: 9 })), '{limit}');
});

t.test('a parameter is not interpreted as a replacement pattern', async (t) => {
  t.match(messageIn('en', 'too_short', { limit: '$&$1' }), 'length: $&$1');
});

t.test('names inherited by every object are no texts', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString', '']) t.notOk(isMessageKey(name), name);
  t.ok(isMessageKey('login_failed'));
});

// The response language.

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
