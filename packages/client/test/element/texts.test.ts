// Texts and languages of the element: complete in code and documentation.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@tollgate/test-support/until.js';
import { projectRoot } from '@tollgate/tools/launcher/local-environment.js';
import t from 'tap';
import {
  addLanguage,
  directionOf,
  fill,
  languageFor,
  languages,
  loadTexts,
} from '../../src/element/languages.js';
import { readTexts } from '../../src/element/own-texts.js';
import { en } from '../../src/element/texts/en.js';
import { sayDuration, sayEstimate } from '../../src/element/view/durations.js';

const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

t.test('every language has every text, with the same placeholders', async (t) => {
  for (const language of languages) {
    const table = await loadTexts(language);
    t.same(Object.keys(table), Object.keys(en), language);
    for (const [key, text] of Object.entries(table)) {
      t.ok(text.trim(), `${language}: ${key}`);
      t.same(places(text), places(en[key as keyof typeof en]), `${language}: ${key}`);
    }
  }
});

t.test('right-to-left languages mirror the element', async (t) => {
  for (const language of languages) {
    const { textInfo } = new Intl.Locale(language) as Intl.Locale & { textInfo: { direction: string } };
    t.equal(directionOf(language), textInfo.direction, language);
  }
  t.same(
    languages.filter((language) => directionOf(language) === 'rtl'),
    ['ar', 'he'],
  );
});

t.test('the documentation lists the languages of the element', async (t) => {
  const page = readFileSync(join(projectRoot, 'docs/client/element.md'), 'utf8');
  const [, sentence = ''] = /The element speaks (.*?)\./.exec(page) ?? [];
  const documented = [...sentence.matchAll(/([A-Z][\w ]+) \(`([\w-]+)`\)/g)].map(([, name, tag]) => [
    tag?.toLowerCase(),
    name,
  ]);
  const names = new Intl.DisplayNames('en', { type: 'language' });
  t.same(
    documented.sort(),
    [...languages].sort().map((language) => [language, names.of(language)]),
  );
});

t.test('the longest tag with texts applies', async (t) => {
  const tags = [
    'zh-TW',
    'zh-Hant-HK',
    'zh-Hans-HK',
    'zh-SG',
    'fr-CA',
    'PT-br',
    'pt-AO',
    'he',
    'eo',
    'constructor',
    '',
  ];
  const chosen = ['zh-hant', 'zh-hant', 'zh', 'zh', 'fr', 'pt', 'pt-pt', 'he', 'en', 'en', 'en'];
  t.same(tags.map(languageFor), chosen);
});

t.test('durations are available in every language, in Western digits', async (t) => {
  for (const language of languages) {
    const texts = await loadTexts(language);
    const said = [1, 2, 12, 119, 120, 300, 3600].map((seconds) => sayDuration(seconds, language));
    said.push(...[3, 5, 12, 60, 150, 900].map((seconds) => sayEstimate(seconds, { language, texts })));
    for (const text of said) {
      t.notMatch(text, /(?![0-9])\p{Nd}/u, `${language}: ${text}`);
      t.match(text, /\p{L}/u, `${language}: ${text}`);
    }
    t.match(sayEstimate(12, { language, texts }), /5\D+10/, language);
  }
});

t.test('a page can add a language, and replace one', async (t) => {
  addLanguage('fa', async () => ({ title: 'بررسی امنیتی' }), 'rtl');
  t.equal(languageFor('fa-IR'), 'fa');
  t.equal(directionOf('fa'), 'rtl');
  t.match(await loadTexts('fa'), { title: 'بررسی امنیتی', retry: en.retry });

  addLanguage('fr-CA', () => ({ title: 'Vérification' }));
  t.same(['fr-CA', 'fr-BE'].map(languageFor), ['fr-ca', 'fr']);
  t.match(await loadTexts('fr-ca'), { title: 'Vérification' });

  addLanguage('zh-TW', () => ({ title: '安全檢查' }));
  addLanguage('pt-AO', () => ({ title: 'Verificação' }));
  t.same(['zh-TW', 'zh-HK', 'pt-AO', 'pt-MZ'].map(languageFor), ['zh-tw', 'zh-hant', 'pt-ao', 'pt-pt']);

  addLanguage('fa', () => Promise.reject(new Error('not found')));
  t.same(await loadTexts('fa'), en, 'English replaces texts that cannot be loaded');
  t.throws(() => addLanguage('no language', () => ({})), RangeError);
});

t.test('a placeholder is filled with its value', async (t) => {
  t.equal(fill('{part} of {parts}', { part: 1, parts: 16 }), '1 of 16');
});

t.test('custom texts are an object or JSON; anything else is reported and ignored', async (t) => {
  const own = { retry: 'Once more' };
  t.same(readTexts(own), own);
  t.same(readTexts(JSON.stringify(own)), own, 'frameworks set the text of an attribute as a property');
  const said: string[] = [];
  t.capture(console, 'warn', (text: string) => said.push(text));
  for (const none of [null, undefined]) t.same(readTexts(none), {});
  t.same(said, []);
  for (const wrong of ['{ retry: }', '"words"', '[]', 3]) t.same(readTexts(wrong), {});
  await until(() => said.length === 4, 'each is reported');
  t.match(said[0], /^Tollgate: "texts" of an element is ignored/);
});

t.test('the module can be loaded without a DOM', async (t) => {
  t.equal(typeof (await import('@tollgate/client/element')).TollgateChallenge, 'function');
});

t.test('an estimate is a range below the expected value, without false precision', async (t) => {
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
