// The encryption keys of access tokens as strings, for services that verify access tokens themselves.

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
 * Reads the result of `exportAccessKeys`.
 * @throws RangeError for anything else; the message does not contain the keys
 */
export function importAccessKeys(text: string): EnvelopeKey[] {
  return text.split(',').map((element) => {
    const [, id, encoded] = ELEMENT.exec(element.trim()) ?? [];
    const bytes = Buffer.from(encoded ?? '', 'base64url');
    // The last character has two bits beyond the 32 bytes, which must be zero.
    if (id === undefined || bytes.toString('base64url') !== encoded) {
      throw new RangeError('access keys must be an output of `keys export-access`');
    }
    return { id, key: createSecretKey(bytes) };
  });
}
