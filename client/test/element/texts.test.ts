// The texts of the element: none is missing, and all languages have the same placeholders.

import t from 'tap';
import { sayEstimate } from '../../src/element/durations.js';
import { fill, texts } from '../../src/element/texts.js';

const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

t.test('every language has every text, with the same places to fill in', async (t) => {
  for (const [language, table] of Object.entries(texts)) {
    t.same(Object.keys(table), Object.keys(texts.en), language);
    for (const [key, text] of Object.entries(table)) {
      t.ok(text.trim(), `${language}: ${key}`);
      t.same(places(text), places(texts.en[key as keyof typeof texts.en]), `${language}: ${key}`);
    }
  }
});

t.test('a placeholder is filled with its value', async (t) => {
  t.equal(fill('{part} of {parts}', { part: 1, parts: 16 }), '1 of 16');
});

t.test('the module can be loaded where there is no DOM', async (t) => {
  t.equal(typeof (await import('@tollgate/client/element')).TollgateChallenge, 'function');
});

t.test('an estimate suggests no false precision', async (t) => {
  t.same(
    [0.2, 4.9, 5, 12, 61].map((seconds) => sayEstimate(seconds, 'en')),
    ['a few seconds', 'a few seconds', 'about 5 seconds', 'about 20 seconds', 'about 2 minutes'],
  );
});
