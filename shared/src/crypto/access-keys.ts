// The encryption keys of access tokens as text, for services that verify access tokens themselves.

import { createSecretKey } from 'node:crypto';
import { derivedKeys, type EnvelopeKey } from './envelope.js';
import type { KeyRing } from './key-ring.js';

const ELEMENT = /^([0-9a-f]{8}):([A-Za-z0-9_-]{43})$/;

/** Returns `key id:base64url of 32 bytes` for each element of `ENCRYPTION_KEY`, separated by commas. */
export function exportAccessKeys(ring: KeyRing): string {
  return derivedKeys('access', ring)
    .map(({ id, key }) => `${id}:${key.export().toString('base64url')}`)
    .join(',');
}

/**
 * Reads what `exportAccessKeys` wrote.
 * @throws RangeError for anything else; the message does not contain the text
 */
export function importAccessKeys(text: string): EnvelopeKey[] {
  return text.split(',').map((element) => {
    const [, id, encoded] = ELEMENT.exec(element.trim()) ?? [];
    const bytes = Buffer.from(encoded ?? '', 'base64url');
    // The last character holds two bits beyond the 32 bytes, which must be zero.
    if (id === undefined || bytes.toString('base64url') !== encoded) {
      throw new RangeError('access keys must be what `keys export-access` prints');
    }
    return { id, key: createSecretKey(bytes) };
  });
}
