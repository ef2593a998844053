// The presets of images by name.

import { defaultPreset, type ImagePreset } from '../image/preset.js';

/** The preset of a request that names none. */
export const DEFAULT_PRESET = 'default';

// A map, so that a name from outside never meets the prototype of an object.
const PRESETS: ReadonlyMap<string, ImagePreset> = new Map([[DEFAULT_PRESET, defaultPreset]]);

/** The preset of this name; an empty name is the default's. */
export function findPreset(name: string): { name: string; preset: ImagePreset } | undefined {
  const known = name === '' ? DEFAULT_PRESET : name;
  const preset = PRESETS.get(known);
  return preset === undefined ? undefined : { name: known, preset };
}
