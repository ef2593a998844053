// The encryption of tokens, and the canonical text of tokens and cookies.

import { createCipheriv } from 'node:crypto';
import { anyCharacter } from '@tollgate/test-support/any-character.js';
import fc from 'fast-check';
import t from 'tap';
import {
  canonicalText,
  cookieValues,
  createEnvelope,
  createKeyedEnvelope,
  MAX_TOKEN_CHARACTERS,
  type TokenKind,
} from '../../src/crypto/envelope.js';
import { openKeyRing } from '../../src/crypto/key-ring.js';

const FIRST = 'first-secret-of-32-characters-xx';
const OTHER = 'other-secret-of-32-characters-yy';
const TEXT = 'head.body.signature é';
const ring = openKeyRing(FIRST);
const envelope = createEnvelope('access', ring);

// Created with another library (Python's cryptography): HKDF, AES-256-GCM, Base64, percent-encoding; nonce 00 to 0b.
const KNOWN: Record<TokenKind, string> = {
  access: 'AfGpdOkAAQIDBAUGBwgJCgu2T2yPdc2kFuznBO2iSetkmx5i%2FK%2FFJyeZ%2Ba%2FJnWIdv1eAkAhNrA%3D%3D',
  refresh: 'AfGpdOkAAQIDBAUGBwgJCgu3P5SBs6iGlmlFouVVpieiJ7XgQyeV0ytxWVivGXdRisQuHKn%2FBA%3D%3D',
};

const bytesOf = (token: string) => Buffer.from(decodeURIComponent(token), 'base64');
const tokenOf = (bytes: Uint8Array) => encodeURIComponent(Buffer.from(bytes).toString('base64'));

t.test('a token with a fixed nonce equals that of another implementation', async (t) => {
  const nonce = Uint8Array.from({ length: 12 }, (_, at) => at);
  for (const kind of ['access', 'refresh'] as const) {
    t.equal(createEnvelope(kind, ring).seal(TEXT, nonce), KNOWN[kind]);
    t.equal(createEnvelope(kind, ring).open(KNOWN[kind]), TEXT);
  }
});

t.test('a sealed text opens unchanged, and no two tokens of one text are equal', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const token = envelope.seal(text);
        return envelope.open(token) === text && envelope.seal(text) !== token;
      }),
    ),
  );
});

t.test('a token with any bit flipped does not open', async (t) => {
  const bytes = bytesOf(envelope.seal(TEXT));
  const opened: number[] = [];
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (envelope.open(tokenOf(flipped)) !== null) opened.push(bit);
  }
  t.strictSame(opened, []);
  t.equal(envelope.open(tokenOf(bytes)), TEXT);
});

t.test('a token with any byte changed does not open', async (t) => {
  const bytes = bytesOf(envelope.seal(TEXT));
  const opened: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    for (const change of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      if (envelope.open(tokenOf(changed)) !== null) opened.push(at);
    }
  }
  t.strictSame(opened, []);
});

t.test('a token that is shorter or longer by any bytes does not open', async (t) => {
  const bytes = bytesOf(envelope.seal(TEXT));
  const opened = Array.from(bytes, (_, length) => length).filter(
    (length) => envelope.open(tokenOf(bytes.subarray(0, length))) !== null,
  );
  t.strictSame(opened, []);
  for (const more of [1, 15, 16])
    t.equal(envelope.open(tokenOf(Buffer.concat([bytes, Buffer.alloc(more)]))), null);
});

t.test('a truncated tag is rejected, although node:crypto would accept it', async (t) => {
  const key = ring.current.derive('tollgate access token');
  const head = Buffer.concat([Buffer.from([1]), Buffer.from(ring.current.id, 'hex')]);
  const sealWith = (authTagLength: number) => {
    const nonce = Buffer.alloc(12, 7);
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength });
    cipher.setAAD(Buffer.concat([head, Buffer.from('tollgate access')]));
    return tokenOf(Buffer.concat([head, nonce, cipher.update(TEXT), cipher.final(), cipher.getAuthTag()]));
  };
  t.equal(envelope.open(sealWith(16)), TEXT);
  for (const bytes of [4, 8, 12, 13, 14, 15]) t.equal(envelope.open(sealWith(bytes)), null, `${bytes} bytes`);
});

t.test('the other kind of token does not open, even with the same AES key', async (t) => {
  const refresh = createEnvelope('refresh', ring);
  t.equal(refresh.open(envelope.seal(TEXT)), null);
  t.equal(envelope.open(refresh.seal(TEXT)), null);
  const shared = [{ id: ring.current.id, key: ring.current.derive('one key for both') }];
  const token = createKeyedEnvelope('access', shared).seal(TEXT);
  t.equal(createKeyedEnvelope('access', shared).open(token), TEXT);
  t.equal(createKeyedEnvelope('refresh', shared).open(token), null);
});

t.test('a token with another key, an unknown key id or another version does not open', async (t) => {
  const foreign = createEnvelope('access', openKeyRing(OTHER)).seal(TEXT);
  t.equal(envelope.open(foreign), null);
  const relabelled = bytesOf(foreign);
  relabelled.write(ring.current.id, 1, 'hex');
  t.equal(envelope.open(tokenOf(relabelled)), null);
  const versioned = bytesOf(envelope.seal(TEXT));
  versioned[0] = 2;
  t.equal(envelope.open(tokenOf(versioned)), null);
});

t.test('with a list of keys the first seals and every one opens', async (t) => {
  const before = envelope.seal(TEXT);
  const rotated = createEnvelope('access', openKeyRing(`${OTHER},${FIRST}`));
  t.equal(rotated.open(before), TEXT);
  const after = rotated.seal(TEXT);
  t.equal(bytesOf(after).subarray(1, 5).toString('hex'), openKeyRing(OTHER).current.id);
  t.equal(envelope.open(after), null);
  t.equal(createEnvelope('access', openKeyRing(`${FIRST},${OTHER}`)).open(after), TEXT);
  t.throws(() => createKeyedEnvelope('access', []), RangeError);
});

t.test('a token opens in every percent-encoded spelling, and in no other', async (t) => {
  // This one contains +, / and padding, so every change below applies to it.
  const token = KNOWN.access;
  const plain = decodeURIComponent(token);
  const spellings: Record<string, string> = {
    'decoded once, as cookie libraries do': plain,
    'padding not percent-encoded': token.replaceAll('%3D', '='),
    'lower-case percent encoding': token
      .replaceAll('%2F', '%2f')
      .replaceAll('%2B', '%2b')
      .replaceAll('%3D', '%3d'),
    'a letter percent-encoded': `%41${token.slice(1)}`,
    'encoded twice': encodeURIComponent(token),
    'encoded twice, the second time in part': token.replace('%2F', '%252f'),
  };
  for (const [name, spelling] of Object.entries(spellings)) {
    t.not(spelling, token, name);
    t.equal(envelope.open(spelling), TEXT, name);
  }
  const variants: Record<string, string> = {
    'a space behind it': `${token} `,
    'a space before it': ` ${token}`,
    'an encoded space': `${token}%20`,
    'a line break': `${token}\n`,
    'one = more': `${token}=`,
    'one encoded = more': `${token}%3D`,
    'an exclamation mark': `${token}!`,
    'no padding': token.replaceAll('%3D', ''),
    'half the padding': token.slice(0, -3),
    'encoded three times': encodeURIComponent(encodeURIComponent(token)),
    'three times in part': token.replace('%2F', '%25252F'),
    'plus signs read as spaces': plain.replaceAll('+', ' '),
    'in double quotes, which only a cookie has': `"${token}"`,
    base64url: token.replaceAll('%2F', '_').replaceAll('%2B', '-').replaceAll('%3D', ''),
    hexadecimal: bytesOf(token).toString('hex'),
    HEXADECIMAL: bytesOf(token).toString('hex').toUpperCase(),
    'a character that is no Base64 inside': `${token.slice(0, 20)}!${token.slice(20)}`,
    'a space inside': `${token.slice(0, 20)}%20${token.slice(20)}`,
    'bits behind the last byte': token.replace('A%3D%3D', 'B%3D%3D'),
    'the same, decoded': plain.replace('A==', 'B=='),
    'the token twice': token + token,
    'a letter 256 places further': `${String.fromCharCode(token.charCodeAt(0) + 256)}${token.slice(1)}`,
  };
  t.equal(envelope.open(token), TEXT);
  for (const [name, variant] of Object.entries(variants)) {
    t.not(variant, token, name);
    t.equal(envelope.open(variant), null, name);
  }
  for (let length = 0; length < token.length; length++) {
    if (envelope.open(token) !== TEXT) t.fail('the token itself opens each time');
    if (envelope.open(token.slice(0, length)) !== null) t.fail(`its first ${length} characters open`);
  }
});

t.test('bad percent sequences, empty texts and other values are rejected without an exception', async (t) => {
  const texts = [
    '',
    '%',
    '%2',
    '%zz',
    '%C3',
    '%ED%A0%80',
    '%FF',
    '=',
    '====',
    'A',
    '\0',
    'é',
    '\ud800',
    '[object Object]',
  ];
  for (const text of texts) t.equal(envelope.open(text), null, JSON.stringify(text));
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.base64String()),
        (text) => envelope.open(text) === null,
      ),
      { numRuns: 300 },
    ),
  );
});

t.test('a token of more than 4,096 characters is rejected, one of 4,096 is read', async (t) => {
  // The length added by percent-encoding is random; some of this many tokens have exactly 4,096 characters.
  const text = 'x'.repeat(2858);
  const lengths = new Set<number>();
  const misread = Array.from({ length: 1000 }, () => envelope.seal(text)).filter((token) => {
    lengths.add(token.length);
    return (envelope.open(token) === text) !== token.length <= MAX_TOKEN_CHARACTERS;
  });
  t.strictSame(misread, []);
  t.ok(lengths.has(MAX_TOKEN_CHARACTERS));
  t.ok(lengths.has(MAX_TOKEN_CHARACTERS + 2));
  t.equal(envelope.open('A'.repeat(10_000_000)), null);
});

// The canonical text of tokens and cookies: every spelling of clients becomes one.

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
  t.strictSame(cookieValues('token=a"b"; token="a"b', 'token'), ['a"b"', '"a"b'], 'quotes inside a value');
  t.strictSame(cookieValues('tokens; token', 'token'), [], 'pairs without a value');
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
  t.strictSame(cookieValues('to ken=planted; token=own', 'token'), ['own'], 'a blank inside the name');
  t.strictSame(cookieValues('a=1;\t __Host-token=own', '__Host-token'), ['own']);
});
