// Bcrypt in the form `$2b$12$` and 53 characters; `$2a$` and `$2y$` are the same thing under the names of other programs.

import { randomBytes } from 'node:crypto';
import { verify } from '@node-rs/bcrypt';
import type { HashKind } from './hash-algorithm.js';

const FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** What bcrypt reads of a password, in bytes of UTF-8; what follows makes no difference to it. */
const READ_BYTES = 72;

/** Doubling with each step: 16 takes some four seconds of a core, and nobody uses more. */
const MAX_ROUNDS_LOG = 16;

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const OWN = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Bcrypt with a cost of 4 to 16. Two things belong to the format: bytes after the 72nd are not looked at, and the
 * key is the password with a zero byte behind it, repeated. A password with a zero byte inside could therefore be
 * another spelling of a shorter one (`a` and `a\0a` have the same key); it opens nothing here, after the same work.
 */
export const bcrypt: HashKind = {
  costOf(text) {
    const rounds = FORM.exec(text)?.[1];
    if (rounds === undefined || Number(rounds) < 4 || Number(rounds) > MAX_ROUNDS_LOG) return undefined;
    return `$2b$${rounds}`;
  },
  async verify(text, password) {
    const matches = await verify(password, text);
    return matches && !password.includes('\0');
  },
  makeDummy: (cost) => `${cost}$${encode(randomBytes(16))}${encode(randomBytes(23))}`,
};

/** Whether bcrypt knows the whole of a password, so that one that it accepts is certainly the right one. */
export function bcryptReadsAll(password: string): boolean {
  return Buffer.byteLength(password) <= READ_BYTES;
}

function encode(bytes: Buffer): string {
  return bytes
    .toString('base64')
    .replace(/=+$/, '')
    .replace(/./g, (character) => OWN.charAt(PLAIN.indexOf(character)));
}
