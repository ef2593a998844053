// Compares a presented secret with the right one, in a time that tells nothing of it.

import { hash, randomBytes } from 'node:crypto';
import { equalBytes } from './constant-time.js';

/**
 * A function that says whether a text is the secret. It compares the digests of both behind one random prefix: they
 * are of one length, whatever was presented, and how far two of them agree says nothing about the texts.
 */
export function matcherOf(secret: string): (presented: string) => boolean {
  const blind = randomBytes(32).toString('hex');
  const digest = (text: string) => hash('sha256', blind + text, 'buffer');
  const expected = digest(secret);
  return (presented) => equalBytes(digest(presented), expected);
}
