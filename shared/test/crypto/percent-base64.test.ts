// Percent-encoded Base64: every spelling but that of the encoder is refused.

import fc from 'fast-check';
import t from 'tap';
import { createPercentBase64Decoder } from '../../src/crypto/percent-base64.js';

const MOST = 1000;
const decode = createPercentBase64Decoder(MOST);
const encode = (bytes: Uint8Array) => encodeURIComponent(Buffer.from(bytes).toString('base64'));
/** What any text must give, by the decoders of the platform. */
const expected = (text: string) => {
  try {
    const bytes = Buffer.from(decodeURIComponent(text), 'base64');
    return encode(bytes) === text ? bytes.toString('hex') : null;
  } catch {
    return null;
  }
};
const hexOf = (text: string) => decode(text)?.toString('hex') ?? null;

t.test('every sequence of bytes comes back', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        return hexOf(encode(bytes)) === Buffer.from(bytes).toString('hex');
      }),
      { numRuns: 1000 },
    ),
  );
});

t.test(
  'a text of pieces of encodings, and of what is none, is decoded only if it is an encoding',
  async (t) => {
    const piece = fc.constantFrom(
      ...['A', 'B', 'Q', 'g', 'w', '9', '_', '-', '+', '/', '=', '.', ' ', 'é', 'Ł', 'AAAA'],
      ...['%2B', '%2F', '%3D', '%3D%3D', '%2b', '%2f', '%3d', '%41', '%3', '%2', '%', '%%', '%C5'],
    );
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(texts, (text) => hexOf(text) === expected(text)),
        { numRuns: 5000 },
      ),
    );
  },
);

t.test('an encoding with any one character changed is decoded only if it is another encoding', async (t) => {
  const wrong: string[] = [];
  for (const size of [7, 8, 9]) {
    const text = encode(Buffer.from('fb ff fe 00 10 fb f0 3f ff'.split(' ').slice(0, size).join(''), 'hex'));
    for (let at = 0; at < text.length; at++) {
      for (let code = 0; code < 300; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        if (hexOf(changed) !== expected(changed)) wrong.push(changed);
      }
    }
  }
  t.strictSame(wrong, []);
});

t.test('what a longer text has left behind the end belongs to no other text', async (t) => {
  decode(encode(Buffer.alloc(60, 0xfb)));
  for (const text of ['AAAA%', 'AAAA%2', 'AA%3D', 'AAA', 'A', 'AA%3D%3']) t.equal(decode(text), null, text);
});

t.test('a text beyond the longest is refused', async (t) => {
  t.equal(decode('A'.repeat(MOST))?.length, (MOST / 4) * 3);
  t.equal(decode('A'.repeat(MOST + 4)), null);
});
