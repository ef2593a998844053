// Passes, which replace work for the operator's own machines. The store has only their hashes.

import { hash } from 'node:crypto';
import { randomAlphanumerics } from '../../crypto/random.js';

/** The request header that presents a pass, in lower case as Node has it. */
export const PASS_HEADER = 'captcha-pass';

/** The pattern of a pass name, and its description. */
export const PASS_NAME_PATTERN = '^[a-z0-9][a-z0-9-]{0,31}$';
export const PASS_NAME_FORM = '1 to 32 lower-case letters, digits or -, not starting with -';

/** 256 random bits. */
const SECRET_CHARACTERS = 43;

const PASS = /^tgp_([a-z0-9][a-z0-9-]{0,31})_[A-Za-z0-9]{43}$/;

/** A presented pass. */
export interface PresentedPass {
  readonly name: string;
  /** SHA-256 of the whole text, as 64 hexadecimal digits. */
  readonly hash: string;
}

/** A stored pass. */
export interface StoredPass {
  readonly name: string;
  readonly hash: string;
  /** The one application that accepts it. */
  readonly application: string;
  /** Uses per minute; a minute begins with the first use. */
  readonly perMinute: number;
  /** Milliseconds since 1970 on the store's clock. */
  readonly expiresAtMs: number;
}

/** The outcome of a presented pass; all but `passed` and `exhausted` look the same to a client. */
export type PassOutcome = 'passed' | 'exhausted' | 'expired' | 'other_application' | 'wrong' | 'unknown';

/** Makes the text of a pass: `tgp_`, its name, and 43 random letters and digits. */
export function makePass(name: string, random?: (size: number) => Uint8Array): string {
  return `tgp_${name}_${randomAlphanumerics(SECRET_CHARACTERS, random)}`;
}

/**
 * Returns the hash of a pass. A fast one suffices, because 2^256 values cannot be tried.
 */
export function passHash(pass: string): string {
  return hash('sha256', pass);
}

/** Parses a presented pass; null if it is malformed. */
export function readPass(presented: unknown): PresentedPass | null {
  const name = typeof presented === 'string' ? PASS.exec(presented)?.[1] : undefined;
  return name === undefined ? null : { name, hash: passHash(presented as string) };
}

/** Returns whether a submission presents a pass; an empty header is none. */
export function presentsPass(presented: unknown): boolean {
  return presented !== undefined && presented !== null && presented !== '';
}

/** Formats the stored value of a pass. */
export function formatPass({ hash: stored, application, perMinute, expiresAtMs }: StoredPass): string {
  return `${stored} ${application} ${perMinute} ${expiresAtMs}`;
}

/** Parses the result of `formatPass`; null for anything else. */
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
