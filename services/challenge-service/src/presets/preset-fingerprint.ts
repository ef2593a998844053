// The fingerprint of a preset in a record: nodes with the same fingerprint have the same preset.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@tollgate/shared/schemas';
import type { ImagePreset } from './preset.js';

/**
 * Returns `<name>@<8 hexadecimal digits>`. The digits are from a hash over all options of the preset, so that a node whose
 * preset of that name differs does not draw a wrong text.
 *
 * @param kind the name of the preset's challenge type
 */
export function presetFingerprint(name: string, kind: string, preset: ImagePreset): string {
  const text = canonicalJson([kind, preset]);
  return `${name}@${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Returns the name of the preset in a fingerprint. */
export function presetNameOf(fingerprint: string): string {
  return fingerprint.split('@')[0] ?? '';
}
