// The format of nonces.

import fc from 'fast-check';
import t from 'tap';
import { isNonce } from '../../src/pow/difficulty.js';

t.test('a nonce is 1 to 24 decimal digits', async (t) => {
  const nonces = ['0', '1', '9', '10', '65535', '9007199254740993', '9'.repeat(24), `1${'0'.repeat(23)}`];
  for (const text of nonces) t.ok(isNonce(text), text);
});

t.test('everything else is not a nonce', async (t) => {
  const others: Record<string, string> = {
    empty: '',
    'a leading zero': '01',
    'two zeros': '00',
    '24 digits with a leading zero': `0${'1'.repeat(23)}`,
    '25 digits': '1'.repeat(25),
    'a very long number': '1'.repeat(100_000),
    'a plus sign': '+1',
    'a minus sign': '-1',
    'minus zero': '-0',
    'an exponent': '1e5',
    'a fraction': '1.0',
    hexadecimal: '0x1f',
    'a hexadecimal digit': 'a',
    'a big integer literal': '1n',
    'a digit separator': '1_000',
    'a comma': '1,000',
    'a space before': ' 1',
    'a space behind': '1 ',
    'a line break behind': '1\n',
    'a line break between': '1\n1',
    'a zero byte': '1\0',
    'Arabic-Indic digits': '\u0661\u0662',
    'Extended Arabic-Indic digits': '\u06f1',
    'Devanagari digits': '\u0967',
    'full-width digits': '\uff11',
    'a superscript': '\u00b2',
    'mathematical digits': '\u{1d7cf}',
    'a byte order mark': '\ufeff1',
    Infinity: 'Infinity',
    NaN: 'NaN',
  };
  for (const [name, text] of Object.entries(others)) t.notOk(isNonce(text), name);
});

t.test('nonces are exactly the decimal forms of numbers below 10^24', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n - 1n }), (number) => isNonce(String(number)))),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.string(),
        (text) => isNonce(text) === (/^\d+$/.test(text) && String(BigInt(text)) === text),
      ),
    ),
  );
});
