// Mutations of valid tokens into invalid ones: inside the envelope, in its bytes, in its text.

import { createHmac, type KeyObject } from 'node:crypto';

/** Numbers that select the place and kind of a change; any whole numbers from 0. */
export interface Dice {
  readonly a: number;
  readonly b: number;
}

/** The parts of a signed token. */
export interface Signing {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly secret: KeyObject;
  /** Secrets and claims of the other kind and of an unknown key. */
  readonly otherSecrets: readonly KeyObject[];
  readonly otherClaims: Readonly<Record<string, unknown>>;
  readonly otherKeyIds: readonly string[];
}

/** Texts signed before. Most mutations sign the same ones again, and signing takes as long as reading. */
const signedTexts = new Map<KeyObject, Map<string, string>>();

/** A signed text with unchanged `header` and `payload`. */
export function signText(header: string, payload: string, secret: KeyObject, hash = 'sha256'): string {
  let known = signedTexts.get(secret);
  if (known === undefined) {
    known = new Map();
    signedTexts.set(secret, known);
  }
  const name = `${hash}\n${header.length}\n${header}${payload}`;
  let text = known.get(name);
  if (text === undefined) {
    const signed = `${encode(header)}.${encode(payload)}`;
    text = `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
    known.set(name, text);
  }
  return text;
}

const WRONG_VALUES: readonly unknown[] = [null, [], {}, true, '', 1.5, -1];
// A number as `exp` would be a time in the past.
const WRONG_EXPIRIES: readonly unknown[] = [null, [], {}, true, '', '99999999999', '2099-01-01'];
const PAYLOADS = [
  ...[
    'null',
    '[]',
    '1',
    '"text"',
    '',
    '{',
    '{}',
    'undefined',
    '{"__proto__":{"id":1}}',
    '\u0000',
    '\ufeff{}',
  ],
  '['.repeat(1200) + ']'.repeat(1200),
  `{"a":"${'x'.repeat(2000)}"}`,
];
const GARBAGE = ['', '.', '..', '...', 'a.b.c', 'a.b', '.a.', ' ', '\u0000', '💥.💥.💥', '.'.repeat(2900)];

/** Texts to seal that the codecs do not create. Each must be rejected as invalid. */
export const INNER_MUTATIONS: readonly ((signing: Signing, dice: Dice) => string)[] = [
  ({ header, claims, secret }, { a, b }) => {
    const alg = from(
      ['none', 'None', 'HS384', 'HS512', 'hs256', 'RS256', 'ES256', 'EdDSA', '', null, 256],
      a,
    );
    const signed = signText(
      json({ ...header, alg }),
      json(claims),
      secret,
      from(['sha256', 'sha384', 'sha512'], b),
    );
    return b % 4 === 3 ? signed.slice(0, signed.lastIndexOf('.') + 1) : signed;
  },
  ({ header, claims, secret }, { a }) => {
    const addition = from(
      [{ crit: ['exp'] }, { crit: [] }, { b64: false }, { jku: 'https://x.example' }, { x: 1 }],
      a,
    );
    return signText(json({ ...header, ...addition }), json(claims), secret);
  },
  ({ header, claims, secret, otherKeyIds }, { a }) => {
    const kid = from([undefined, '', '00000000', null, 7, `${header.kid} `, ...otherKeyIds], a);
    return signText(json({ ...header, kid }), json(claims), secret);
  },
  ({ header, claims, secret }, { a }) => {
    const { alg, typ, kid } = header;
    const heads = [
      json({ kid, typ, alg }),
      json({ alg, kid }),
      ` ${json(header)}`,
      `${json(header)}\n`,
      '{}',
      '',
    ];
    return signText(from(heads, a), json(claims), secret);
  },
  ({ header, claims, otherSecrets }, { a }) => signText(json(header), json(claims), from(otherSecrets, a)),
  ({ header, claims, secret }, { a }) => {
    const signed = signText(json(header), json(claims), secret);
    return signed.slice(0, signed.length - 1 - (a % 43));
  },
  ({ header, claims, secret }, { a }) =>
    signText(json(header), json(claims), secret) + from(['=', 'A', '.', '.A', ' ', '\n', '\u0000'], a),
  ({ header, claims, secret }, dice) => {
    const [head, payload, mark] = signText(json(header), json(claims), secret).split('.') as [
      string,
      string,
      string,
    ];
    return `${head}.${flipText(payload, dice)}.${mark}`;
  },
  ({ header, claims, secret }, { a, b }) => {
    const name = from(Object.keys(claims), a);
    const value = from(name === 'exp' ? WRONG_EXPIRIES : WRONG_VALUES, b);
    return signText(json(header), json({ ...claims, [name]: value }), secret);
  },
  ({ header, claims, secret }, { a }) =>
    signText(json(header), json({ ...claims, [from(Object.keys(claims), a)]: undefined }), secret),
  ({ header, claims, secret }, { a }) =>
    signText(json(header), json({ ...claims, nbf: from([2 ** 40, 'soon', {}, null], a) }), secret),
  ({ header, otherClaims, secret }) => signText(json(header), json(otherClaims), secret),
  ({ header, secret }, { a }) => signText(json(header), from(PAYLOADS, a), secret),
  ({ header }, { a }) => encode(json(header)) + from(['', 'x', '.', '..', '.e30', '.e30.'], a),
  (_, { a }) => from(GARBAGE, a),
];

/** Changed bytes, of the same length or not. `other` contains the bytes of another valid token. */
export const BYTE_MUTATIONS: readonly ((bytes: Buffer, other: Buffer, dice: Dice) => Buffer)[] = [
  (bytes, _, { a, b }) => flip(bytes, a, b),
  // Changes in the head, the nonce and the tag matter most.
  (bytes, _, { a, b }) => flip(bytes, a % 17, b),
  (bytes, _, { a, b }) => flip(bytes, bytes.length - 1 - (a % 16), b),
  (bytes, _, { a }) => bytes.subarray(0, a % bytes.length),
  (bytes, _, { a }) => bytes.subarray(0, bytes.length - 1 - (a % 16)),
  (bytes, _, { a }) => bytes.subarray(1 + (a % 40)),
  (bytes, other, { a }) =>
    Buffer.concat([bytes.subarray(0, a % bytes.length), other.subarray(a % bytes.length)]),
  (bytes, other, { a, b }) =>
    Buffer.concat([bytes.subarray(0, a % bytes.length), other.subarray(b % other.length)]),
  (bytes, other) => Buffer.concat([bytes.subarray(0, 17), other.subarray(17)]),
  (bytes, other) => Buffer.concat([bytes.subarray(0, -16), other.subarray(-16)]),
  // Key id, then version.
  (bytes, other) => Buffer.concat([bytes.subarray(0, 1), other.subarray(1, 5), bytes.subarray(5)]),
  (bytes, _, { a }) => Buffer.concat([bytes.subarray(0, 1), numberBytes(a), bytes.subarray(5)]),
  (bytes, _, { a }) => Buffer.concat([Buffer.from([a % 256]), bytes.subarray(1)]),
  (bytes, other, { a }) => Buffer.concat([bytes, other.subarray(0, 1 + (a % 32))]),
  (bytes) => Buffer.concat([bytes, bytes]),
  // Only a known head, and random bytes.
  (bytes, _, { a, b }) => Buffer.concat([bytes.subarray(0, 5), noise(a, b % 300)]),
  (_, __, { a, b }) => noise(a, b % 300),
];

const ODD = [
  '%',
  '%0',
  '%zz',
  '%E0%A4',
  '%C0%AF',
  '%00',
  '%ud800',
  ' ',
  '=',
  '!',
  '\n',
  '\u0000',
  '\ud800',
  'é',
  '-',
  '_',
];

/** Other texts of the same bytes, or of none. */
export const TEXT_MUTATIONS: readonly ((text: string, other: string, dice: Dice) => string)[] = [
  (text, _, { a, b }) => insert(text, from(ODD, b), a % (text.length + 1)),
  (text, _, { b }) => text + from(ODD, b),
  (text, _, { a }) => text.slice(0, a % (text.length + 1)) + text.slice((a % (text.length + 1)) + 1),
  (text, _, { a }) => text.slice(0, a % (text.length + 1)),
  (text, other, { a, b }) => text.slice(0, a % (text.length + 1)) + other.slice(b % (other.length + 1)),
  (text, _, dice) => flipText(text, dice),
  (text) => decodeLoosely(text),
  (text, _, { a }) => decodeLoosely(text).slice(0, -1 - (a % 2)),
  (text) => encodeURIComponent(text),
  (text) => text.replace(/%../g, (code) => code.toLowerCase()),
  (text) => text.replaceAll('%2B', '+').replaceAll('%2F', '/'),
  (text) => text.replaceAll('%2B', '-').replaceAll('%2F', '_').replaceAll('%3D', ''),
  (text) => text.replaceAll('%2B', '%20'),
  (text) => text.replaceAll('%3D', ''),
  (text) => `${text}%3D`,
  (text, _, { a }) => {
    const at = a % (text.length + 1);
    const code = text.charCodeAt(at);
    if (Number.isNaN(code) || code > 127) return `${text}%41`;
    return `${text.slice(0, at)}%${code.toString(16).padStart(2, '0')}${text.slice(at + 1)}`;
  },
  (text, _, { a }) => text.padEnd(4097 + (a % 200), from(['A', '%', '%41', '=', '\u0000', '💥'], a)),
  (text) => text.repeat(8),
];

/** An element for any number. */
export function from<T>(list: readonly T[], number: number): T {
  return list[number % list.length] as T;
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function encode(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url');
}

function insert(text: string, part: string, at: number): string {
  return text.slice(0, at) + part + text.slice(at);
}

function flip(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  const place = at % Math.max(1, bytes.length);
  if (bytes.length > 0) changed.writeUInt8(bytes.readUInt8(place) ^ (1 << (bit % 8)), place);
  return changed;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Changes one character to another of the alphabet. */
function flipText(text: string, { a, b }: Dice): string {
  const at = a % Math.max(1, text.length);
  const now = BASE64.indexOf(text.charAt(at));
  return text.slice(0, at) + BASE64.charAt((now + 1 + (b % 63)) % BASE64.length) + text.slice(at + 1);
}

function decodeLoosely(text: string): string {
  return text.replace(/%([0-7][0-9A-F])/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number >>> 0);
  return bytes;
}

/** Pseudo-random bytes, the same for the same seed (xorshift). */
function noise(seed: number, length: number): Buffer {
  let state = seed | 1;
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[at] = state & 255;
  }
  return bytes;
}
