// Normalised account names.

import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import { accountKey, accountSpellings, foldAccount } from '../../../src/challenges/attempts/pseudonyms.js';

t.test('case, width and surrounding space make no difference', async (t) => {
  for (const email of [
    'ada@example.com',
    ' ADA@Example.COM\t',
    'ａｄａ@example.com',
    '\u00a0ada@example.com',
  ]) {
    t.equal(accountKey(email), 'ada@example.com');
  }
  t.equal(accountKey('e\u0301@x.org'), accountKey('\u00c9@x.org'));
});

t.test('different addresses remain different', async (t) => {
  t.equal(accountKey('a.da+tag@example.com'), 'a.da+tag@example.com');
  t.not(accountKey('а@example.com'), accountKey('a@example.com'), 'a Cyrillic letter is another letter');
});

t.test('an international domain has one key in both forms, and its local part is unchanged', async (t) => {
  const key = 'bücher@xn--bcher-kva.example';
  for (const email of [
    'bücher@bücher.example',
    'BÜCHER@XN--BCHER-KVA.example',
    'bücher@bu\u0308cher.example',
  ])
    t.equal(accountKey(email), key);
  t.equal(accountKey('a@b@bücher.de'), 'a@b@xn--bcher-kva.de', 'behind the last @');
  t.equal(accountKey('bücher.de'), 'bücher.de', 'a user name has no domain');
  t.equal(accountKey('a@faß.de'), 'a@xn--fa-hia.de');
  t.not(accountKey('a@faß.de'), accountKey('a@fass.de'));
  t.equal(accountKey('a@mail.例え.jp'), accountKey('a@mail.xn--r8jz45g.jp'));
  t.equal(accountKey('a@例え\uff61jp'), accountKey('a@例え.jp'), 'with the dot of its language');
});

t.test('a domain without an ASCII form is unchanged: a number does not become an IP address', async (t) => {
  const same = [
    '0x7f.1',
    '0x7f\u30021',
    '2130706433',
    '[127.0.0.1]',
    'example.com',
    'EXAMPLE\u3002com',
    '',
    'a..b',
  ];
  const broken = [
    'ü.1',
    'ü.0x7f',
    'xn--a',
    'xn--',
    'xn--a.de',
    'ü/x.de',
    'ü:80',
    'ü%41.de',
    'ü_x.de',
    'ü?',
    'ü x.de',
  ];
  for (const domain of [...same, ...broken])
    t.equal(accountKey(`a@${domain}`), foldAccount(`a@${domain}`), domain);
});

t.test('invisible characters make no difference, unless there are no others', async (t) => {
  const invisible = [
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u200e',
    '\u200f',
    '\u202e',
    '\u2066',
    '\ufe0f',
  ];
  for (const character of invisible) {
    for (const email of [
      `${character}ada@example.com`,
      `a${character}da@exam${character}ple.com${character} `,
    ])
      t.equal(accountKey(email), 'ada@example.com');
  }
  t.equal(accountKey('a\u034f\u0301@x.org'), accountKey('á@x.org'), 'what it stood between combines');
  t.equal(accountKey('\u200b'), '\u200b');
  const [joined, plain] = ['a@نامه\u200cای.com', 'a@xn--mgba3gch31f060k.com'];
  t.equal(accountKey(joined), accountKey(plain), 'a joiner in either form of a domain');
});

t.test('a directory receives the account as typed, with its domain in both forms', async (t) => {
  t.strictSame(accountSpellings(' Ada@Example.com'), ['ada@example.com']);
  t.strictSame(accountSpellings('a@0x7f.1'), ['a@0x7f.1']);
  t.strictSame(accountSpellings('A@Bücher.de'), ['a@bücher.de', 'a@xn--bcher-kva.de']);
  t.strictSame(accountSpellings('a@xn--bcher-kva.de'), ['a@xn--bcher-kva.de', 'a@bücher.de']);
  t.strictSame(accountSpellings('a\u200bda@x.org'), ['a\u200bda@x.org', 'ada@x.org']);
  t.ok(accountSpellings('a@نامه\u200cای.com').includes('a@xn--mgba3gch31f060k.com'), 'with its joiner too');
});

t.test('every spelling of an account has the same key, itself one of the spellings', async (t) => {
  const labels = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 4 }),
    fc.constantFrom(
      'xn--bcher-kva',
      'xn--',
      'xn--a',
      'bücher',
      'faß',
      'com',
      '0x7f',
      '1',
      'نامه\u200cای',
      'ς',
    ),
  );
  const domains = fc.array(labels, { minLength: 1, maxLength: 3 }).map((all) => all.join('.'));
  const emails = fc
    .tuple(fc.string({ unit: anyCharacter, maxLength: 3 }), domains)
    .map((both) => both.join('@'));
  fc.assert(
    fc.property(emails, (email) => {
      const key = accountKey(email);
      const spellings = accountSpellings(email);
      t.equal(accountKey(key), key);
      t.equal(accountKey(foldAccount(email)), key, 'what was counted before has the same key');
      t.ok(spellings.includes(key));
      t.equal(spellings[0], foldAccount(email));
      t.ok(spellings.length <= 9);
    }),
    { numRuns: 2000 },
  );
});

t.test('a key is its own key', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (email) => {
      const key = accountKey(email);
      t.equal(accountKey(key), key);
    }),
    { numRuns: 2000 },
  );
});
