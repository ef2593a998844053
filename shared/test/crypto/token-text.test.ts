// The canonical text of tokens and cookies: every spelling of clients becomes one.

import fc from 'fast-check';
import t from 'tap';
import { canonicalText, cookieValues, MAX_TOKEN_CHARACTERS } from '../../src/crypto/envelope.js';

const base64 = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Percent-encodes each percent sign, and of the other characters those selected by the number. */
function encodeSome(text: string, seed: number): string {
  const encode = (character: string, at: number) => {
    if (character !== '%' && (seed >> (at % 31)) % 2 === 0) return character;
    const code = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `%${seed % 2 === 0 ? code : code.toUpperCase()}`;
  };
  return [...text].map(encode).join('');
}

t.test('one or two encodings of a token decode to its Base64, three never do', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(base64, fc.nat(), fc.nat(), (text, one, two) => {
        const once = encodeSome(text, one);
        const twice = encodeSome(once, two);
        return [text, once, twice].every((spelling) => canonicalText(spelling) === text);
      }),
      { numRuns: 1000 },
    ),
  );
  t.equal(canonicalText('%252B'), '+');
  t.equal(canonicalText('%25252B'), '');
});

t.test('the canonical text is stable, so repeated calls decode no further', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('%', '25', '2B', 'A', '+', 'é', '%25', '%zz')), (parts) => {
        const text = canonicalText(parts.join(''));
        return !text.includes('%') && canonicalText(text) === text;
      }),
      { numRuns: 2000 },
    ),
  );
});

t.test('a malformed percent sequence is rejected, in both decodings', async (t) => {
  for (const text of ['%', '%2', '%zz', '%C3', '%FF', '%25zz', 'A%', '%2525', '%ED%A0%80'])
    t.equal(canonicalText(text), '', text);
});

t.test('the length limit applies to the text before decoding', async (t) => {
  const most = '%2B'.repeat(MAX_TOKEN_CHARACTERS / 3);
  t.equal(canonicalText(most.padEnd(MAX_TOKEN_CHARACTERS, 'A')).length, 1365 + 1);
  t.equal(canonicalText(most.padEnd(MAX_TOKEN_CHARACTERS + 1, 'A')), '');
});

t.test('every cookie of a name is found, in order and without its quotes', async (t) => {
  const header = 'a=1; token="x%2By"; token=x%252By ;token=x+y;tokens=no; Token=no; token; =token; token="x';
  t.strictSame(cookieValues(header, 'token'), ['x+y', 'x+y', 'x+y', '"x']);
  t.strictSame(cookieValues('token=""; token="; token=%', 'token'), ['', '"', '']);
  t.strictSame(cookieValues(undefined, 'token'), []);
});

t.test('a name with white space that is no separator is another name', async (t) => {
  for (const blank of ['\xA0', '\uFEFF', '\u2000', '\v', '\f'])
    for (const name of [`${blank}__Host-token`, `__Host-token${blank}`])
      t.strictSame(
        cookieValues(`${name}=planted; __Host-token=own`, '__Host-token'),
        ['own'],
        encodeURI(name),
      );
  t.strictSame(cookieValues('a=1;\t __Host-token=own', '__Host-token'), ['own']);
});
