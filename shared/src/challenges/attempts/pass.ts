// Passes: what a machine of one's own presents in place of work. The store keeps the hash of a pass alone.

import { hash } from 'node:crypto';
import { randomAlphanumerics } from '../../crypto/random.js';

/** The request header that presents a pass, in lower case as Node has it. */
export const PASS_HEADER = 'captcha-pass';

/** The name of a pass: the pattern, and in words. */
export const PASS_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,31}$';
export const PASS_NAME_FORM = '1 to 32 small letters, digits or -, the first not -';

/** 256 bits of chance. */
const SECRET_CHARACTERS = 43;

const PASS = /^tgp_([a-z0-9][a-z0-9-]{0,31})_[A-Za-z0-9]{43}$/;

/** A pass as it was presented. */
export interface PresentedPass {
  readonly name: string;
  /** SHA-256 of the whole text, as 64 hexadecimal digits. */
  readonly hash: string;
}

/** A pass as the store keeps it. */
export interface StoredPass {
  readonly name: string;
  readonly hash: string;
  /** The one application that accepts it. */
  readonly application: string;
  /** Uses in a minute, which begins with the first. */
  readonly perMinute: number;
  /** Milliseconds since 1970 on the store's clock. */
  readonly expiresAtMs: number;
}

/** What became of a pass that was presented; all but `passed` and `exhausted` look the same to a client. */
export type PassOutcome = 'passed' | 'exhausted' | 'expired' | 'other_application' | 'wrong' | 'unknown';

/** Makes the text of a pass: `tgp_`, its name, and 43 random letters and digits. */
export function makePass(name: string, random?: (size: number) => Uint8Array): string {
  return `tgp_${name}_${randomAlphanumerics(SECRET_CHARACTERS, random)}`;
}

/**
 * Returns the hash of a pass. A fast one is enough: nobody tries 2^256 texts.
 */
export function passHash(pass: string): string {
  return hash('sha256', pass);
}

/** Reads a presented pass; null if it has not the form of one. */
export function readPass(presented: unknown): PresentedPass | null {
  const name = typeof presented === 'string' ? PASS.exec(presented)?.[1] : undefined;
  return name === undefined ? null : { name, hash: passHash(presented as string) };
}

/** Returns whether a submission presents a pass at all; an empty header is none. */
export function presentsPass(presented: unknown): boolean {
  return presented !== undefined && presented !== null && presented !== '';
}

/** Formats what the store keeps under the name of a pass. */
export function formatPass({ hash: stored, application, perMinute, expiresAtMs }: StoredPass): string {
  return `${stored} ${application} ${perMinute} ${expiresAtMs}`;
}

/** Parses what `formatPass` has written; null for anything else. */
export function parsePass(name: string, text: string): StoredPass | null {
  const [, stored = '', application = '', perMinute, expiresAtMs] =
    /^([0-9a-f]{64}) (\S+) (\d+) (\d+)$/.exec(text) ?? [];
  if (perMinute === undefined) return null;
  return {
    name,
    hash: stored,
    application,
    perMinute: Number(perMinute),
    expiresAtMs: Number(expiresAtMs),
  };
}
