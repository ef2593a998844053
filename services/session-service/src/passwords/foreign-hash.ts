// Translates frameworks' hash formats into those of the algorithms here.

import { encodePhc } from './hash-algorithm.js';
import { formatPbkdf2 } from './pbkdf2-hash.js';

type Translation = (groups: readonly string[]) => string | undefined;

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const base64 = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64');
const hex = (text: string) => Buffer.from(text, 'hex');

const scrypt = (ln: number, r: string | number, p: string | number, salt: Buffer, digest: Buffer) =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${encodePhc(salt)}$${encodePhc(digest)}`;

const FORMS: readonly (readonly [form: RegExp, translate: Translation])[] = [
  // Django: the name of the hasher, then the hash of the library; the salt of PBKDF2 and scrypt is a text.
  [/^argon2(\$argon2id\$.*)$/, ([phc]) => phc],
  [/^bcrypt\$(\$2[aby]\$.*)$/, ([hash]) => hash],
  [/^bcrypt_sha256\$(\$2[aby]\$.*)$/, ([hash]) => `$bcrypt-sha256${hash}`],
  [
    /^pbkdf2_(sha1|sha256)\$(\d+)\$([^$]+)\$([A-Za-z0-9+/]+=*)$/,
    ([name = '', iterations = '', salt = '', digest = '']) =>
      formatPbkdf2(name, iterations, utf8(salt), base64(digest)),
  ],
  [
    /^scrypt\$([^$]+)\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9+/]+=*)$/,
    ([salt = '', n, r = '', p = '', digest = '']) =>
      scrypt(Math.log2(Number(n)), r, p, utf8(salt), base64(digest)),
  ],
  // Werkzeug (Flask).
  [
    /^pbkdf2:(sha1|sha256|sha512):(\d+)\$([^$]+)\$([0-9a-f]+)$/,
    ([name = '', iterations = '', salt = '', digest = '']) =>
      formatPbkdf2(name, iterations, utf8(salt), hex(digest)),
  ],
  [
    /^scrypt:(\d+):(\d+):(\d+)\$([^$]+)\$([0-9a-f]+)$/,
    ([n, r = '', p = '', salt = '', digest = '']) =>
      scrypt(Math.log2(Number(n)), r, p, utf8(salt), hex(digest)),
  ],
  // Passlib, and the contents of Keycloak's two JSON fields: Base64 with dots or with padding.
  [
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?(\d+)\$([A-Za-z0-9+/.]+)=*\$([A-Za-z0-9+/.]+)=*$/,
    ([name, iterations = '', salt = '', digest = '']) =>
      formatPbkdf2(name || 'sha1', iterations, base64(salt), base64(digest)),
  ],
  // Spring Security: the name of the encoder in braces; its parameters if the hash has none.
  [/^\{(?:bcrypt|argon2(?:@SpringSecurity_v5_8)?)\}(\$.*)$/, ([hash]) => hash],
  [
    /^\{pbkdf2\}([0-9a-f]{80})$/,
    ([text = '']) => formatPbkdf2('sha1', 185_000, hex(text).subarray(0, 8), hex(text).subarray(8)),
  ],
  [
    /^\{pbkdf2@SpringSecurity_v5_8\}([0-9a-f]{96})$/,
    ([text = '']) => formatPbkdf2('sha256', 310_000, hex(text).subarray(0, 16), hex(text).subarray(16)),
  ],
  [
    /^\{scrypt(?:@SpringSecurity_v5_8)?\}\$([0-9a-f]{5,6})\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/,
    ([text = '', salt = '', digest = '']) => {
      const parameters = Number.parseInt(text, 16);
      const [ln, r, p] = [parameters >> 16, (parameters >> 8) & 255, parameters & 255];
      return scrypt(ln, r, p, base64(salt), base64(digest));
    },
  ],
  // ASP.NET Core Identity: version, then in version 3 function, iterations and length of the salt, 32 bits each.
  [/^(A[A-Za-z0-9+/]{15,}=*)$/, ([text = '']) => fromAspNet(base64(text))],
];

/** Returns a hash in the format of the algorithms here; an unknown format unchanged. */
export function canonicalHash(text: string): string {
  for (const [form, translate] of FORMS) {
    const match = form.exec(text);
    if (match !== null) return translate(match.slice(1)) ?? text;
  }
  return text;
}

function fromAspNet(bytes: Buffer): string | undefined {
  if (bytes[0] === 0 && bytes.length === 49) {
    return formatPbkdf2('sha1', 1000, bytes.subarray(1, 17), bytes.subarray(17));
  }
  if (bytes[0] !== 1 || bytes.length < 13) return undefined;
  const name = ['sha1', 'sha256', 'sha512'][bytes.readUInt32BE(1)];
  const saltEnd = 13 + bytes.readUInt32BE(9);
  if (name === undefined || saltEnd >= bytes.length) return undefined;
  return formatPbkdf2(name, bytes.readUInt32BE(5), bytes.subarray(13, saltEnd), bytes.subarray(saltEnd));
}
