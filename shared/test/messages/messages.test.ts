// Messages for users.

import t from 'tap';
import { en, type MessageKey } from '../../src/messages/en.js';
import { isMessageKey, languages, messageIn, rightToLeft } from '../../src/messages/messages.js';

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
