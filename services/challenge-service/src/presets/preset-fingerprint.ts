// The name under which a record remembers its preset: same mark, same preset on every node.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@tollgate/shared/schemas/canonical-json.js';
import type { ImagePreset } from './preset.js';

/**
 * `<name>@<8 hexadecimal digits>`, the digits from a hash over everything that the preset says, so that a node whose
 * preset of that name differs draws no wrong text.
 *
 * @param kind the name of the preset's kind
 */
export function presetFingerprint(name: string, kind: string, preset: ImagePreset): string {
  const text = canonicalJson([kind, preset]);
  return `${name}@${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** The name in a mark. */
export function presetNameIn(mark: string): string {
  return mark.split('@')[0] ?? '';
}
