// The benchmark's presets: the default, the default without contrast inversion, and a control without effects.
import { defaultPreset, type ImagePreset } from '@tollgate/challenge-service/presets/preset.js';

const { picture, letters, wave, speckles } = defaultPreset;

export const IMAGE_PRESETS: Readonly<Record<string, ImagePreset>> = {
  /** Separate and upright letters, dark on white. A reader that fails on these proves nothing about the other presets. */
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
  /** The remaining resistance to a program for these images that reverts the contrast inversion. */
  'line-undone': { ...defaultPreset, picture: { ...picture, counterchange_px: 0 } },
};
