// The texts for people.

import t from 'tap';
import { ar } from '../../src/messages/ar.js';
import { en, type MessageKey } from '../../src/messages/en.js';
import { fr } from '../../src/messages/fr.js';
import { isMessageKey, languages, messageIn } from '../../src/messages/messages.js';

const keys = Object.keys(en) as MessageKey[];

t.test('every language has exactly the same texts', async (t) => {
  t.same(Object.keys(fr).sort(), [...keys].sort());
  t.same(Object.keys(ar).sort(), [...keys].sort());
});

t.test('a text has the same parameters in every language', async (t) => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const key of keys) {
    for (const language of languages) {
      t.same(places(messageIn(language, key)), places(en[key]), `${key} in ${language}`);
    }
  }
});

t.test('no text is empty, and none but technical terms is the same in two languages', async (t) => {
  for (const key of keys) {
    const texts = languages.map((language) => messageIn(language, key));
    t.ok(
      texts.every((text) => /[.!?]$/.test(text)),
      `${key} ends like a sentence`,
    );
    t.equal(new Set(texts).size, languages.length, `${key} is translated`);
  }
});

t.test('Arabic texts are written in Arabic', async (t) => {
  for (const key of keys) t.match(ar[key], /\p{Script=Arabic}/u, key);
});

t.test(
  'what refuses an answer names no image, for parts of work and kinds of an operator are refused alike',
  async (t) => {
    const image = /image|characters|caract|صورة|الأحرف/i;
    for (const key of ['captcha_invalid', 'captcha_required', 'wrong_answer'] as const) {
      for (const language of languages) t.notMatch(messageIn(language, key), image, `${key} in ${language}`);
    }
  },
);

t.test('parameters are put in their places', async (t) => {
  t.equal(messageIn('en', 'too_short', { limit: 8 }), 'This value is too short (minimum length: 8).');
  t.equal(
    messageIn('fr', 'too_long', { limit: 64 }),
    'Cette valeur est trop longue (longueur maximale : 64).',
  );
});

t.test('a placeholder without a parameter stays, and inherited names are no parameters', async (t) => {
  t.match(messageIn('en', 'too_short', { toString: 1 }), '{limit}');
  t.match(messageIn('en', 'too_short', Object.create({ limit: 9 })), '{limit}');
});

t.test('a parameter is not read as a replacement pattern', async (t) => {
  t.match(messageIn('en', 'too_short', { limit: '$&$1' }), 'length: $&$1');
});

t.test('names that every object inherits are no texts', async (t) => {
  for (const name of ['constructor', '__proto__', 'toString', '']) t.notOk(isMessageKey(name), name);
  t.ok(isMessageKey('login_failed'));
});
