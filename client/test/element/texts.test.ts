// The texts of the element: none is missing, and all languages have the same placeholders.

import t from 'tap';
import { fill, languages, loadTexts } from '../../src/element/languages.js';
import { readTexts } from '../../src/element/own-texts.js';
import { en } from '../../src/element/texts/en.js';
import { sayEstimate } from '../../src/element/view/durations.js';

const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

t.test('every language has every text, with the same places to fill in', async (t) => {
  for (const language of languages) {
    const table = await loadTexts(language);
    t.same(Object.keys(table), Object.keys(en), language);
    for (const [key, text] of Object.entries(table)) {
      t.ok(text.trim(), `${language}: ${key}`);
      t.same(places(text), places(en[key as keyof typeof en]), `${language}: ${key}`);
    }
  }
});

t.test('a placeholder is filled with its value', async (t) => {
  t.equal(fill('{part} of {parts}', { part: 1, parts: 16 }), '1 of 16');
});

t.test('own texts are an object or JSON, and anything else is reported and ignored', async (t) => {
  const own = { retry: 'Once more' };
  t.same(readTexts(own), own);
  t.same(readTexts(JSON.stringify(own)), own, 'frameworks set the text of an attribute as a property');
  const warnings = t.capture(console, 'warn');
  for (const none of [null, undefined]) t.same(readTexts(none), {});
  t.same(warnings(), []);
  for (const wrong of ['{ retry: }', '"words"', '[]', 3]) t.same(readTexts(wrong), {});
  t.equal(warnings().length, 4);
});

t.test('the module can be loaded where there is no DOM', async (t) => {
  t.equal(typeof (await import('@tollgate/client/element')).TollgateChallenge, 'function');
});

t.test('an estimate is a range below what is expected, without false precision', async (t) => {
  t.same(
    [0.2, 4.9, 5, 12, 61, 150, 900].map((seconds) => sayEstimate(seconds, { language: 'en', texts: en })),
    [
      'a few seconds',
      'a few seconds',
      '2–5 seconds',
      '5–10 seconds',
      '30–60 seconds',
      '1–3 minutes',
      '5–15 minutes',
    ],
  );
});
