// The presets that are read: the one that ships, parts of it switched off, and a control without any effect.
import { defaultPreset, type ImagePreset } from '@tollgate/challenge-service/presets/preset.js';

const { picture, letters, wave, speckles } = defaultPreset;

export const IMAGE_PRESETS: Readonly<Record<string, ImagePreset>> = {
  /** Letters apart and upright, dark on white: what a program that cannot read this measures is itself. */
  control: {
    ...defaultPreset,
    picture: {
      ...picture,
      palettes: [{ background: '#ffffff', letters: ['#111111'] }],
      counterchange_px: 0,
    },
    letters: { ...letters, overlap_px: -8, tilt_degrees: 0, wobble_px: 0, shift_px: 0 },
    wave: { ...wave, amplitude_px: 0, sideways_px: 0 },
    speckles: { ...speckles, count: 0 },
  },
  default: defaultPreset,
  /** What is left against a program written for these images, once it has found the line and turned one side of it back. */
  'line-undone': { ...defaultPreset, picture: { ...picture, counterchange_px: 0 } },
};
