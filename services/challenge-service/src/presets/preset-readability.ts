// Estimates whether people can read the images of a preset, from the space for each letter and the sum of its effects.

import { marginsOf, SHARE_OF_HEIGHT } from '../image/layout.js';
import { CAPITAL_PX } from '../image/sprites.js';
import type { ImagePreset } from './preset.js';

/**
 * With the default's effects, people misread every third image with smaller letters, and hardly any with letters of this
 * height.
 */
const MIN_CAPITAL_PX = 24;

/** People misread every second image whose effects add up to more than this. The default reaches 78 % of it. */
const MAX_DISTORTION = 1.4;

/** Width of a letter in its row before scaling, measured over all bundled letters. */
const ADVANCE = { touching: 35.5, leastTouching: 32, forGap: 0.85, forTilt: 0.12 };
/** Height of a row of letters before scaling. */
const ROW = { upright: 51, forShift: 1.2 };
/** Height of a capital in stroke widths. */
const STROKES_IN_CAPITAL = 7;
/** An image draws a wavelength at most a fifth shorter. */
const SHORTEST_WAVE = 0.8;

/** Returns why people cannot read the images, worded to follow the preset's name; null if they can. */
export function readabilityMistake(preset: ImagePreset): string | null {
  const capitalPx = expectedCapital(preset);
  if (capitalPx < MIN_CAPITAL_PX) {
    return (
      ` cannot be read: its letters would be ${Math.floor(capitalPx)} pixels high, the minimum is ${MIN_CAPITAL_PX};` +
      ' make the picture larger, or the answer, the waves or the gaps smaller'
    );
  }
  const effects = distortionOf(preset, capitalPx);
  const percent = (distortion: number) => Math.round((distortion / MAX_DISTORTION) * 100);
  const total = percent(Object.values(effects).reduce((sum, distortion) => sum + distortion, 0));
  if (total <= 100) return null;
  const shares = Object.entries(effects).map(([name, distortion]) => `${name} ${percent(distortion)}`);
  return ` cannot be read: its effects add up to ${total} % of the readable maximum (${shares.join(', ')})`;
}

/** Returns the median height of a capital in the images of a preset, in CSS pixels. */
function expectedCapital({ phrase, picture, letters, wave }: ImagePreset): number {
  const margins = marginsOf(wave);
  const advance =
    Math.max(ADVANCE.leastTouching, ADVANCE.touching - letters.overlap_px * ADVANCE.forGap) +
    letters.tilt_degrees * ADVANCE.forTilt;
  const acrossPx = (picture.width - 2 * margins.x) / (phrase.length * advance);
  const downPx = (picture.height - 2 * margins.y) / (ROW.upright + letters.shift_px * ROW.forShift);
  return Math.min(acrossPx * CAPITAL_PX, downPx * CAPITAL_PX, picture.height * SHARE_OF_HEIGHT);
}

/** Returns the distortion that each effect adds. An effect of 1 is hard to read on its own. */
function distortionOf({ picture, letters, wave, speckles }: ImagePreset, capitalPx: number) {
  const slope = (amplitudePx: number, wavelengthPx: number) =>
    (2 * Math.PI * amplitudePx) / (wavelengthPx * SHORTEST_WAVE);
  const largestPx = speckles.radius_tenths_px / 10;
  // Radii are uniform between half of the largest and the largest.
  const meanArea = (Math.PI * largestPx ** 2 * 7) / 12;
  const cover = (speckles.count * meanArea) / (picture.width * picture.height);
  return {
    line: slope(picture.counterchange_px, picture.counterchange_wavelength_px) / 8,
    wave: slope(wave.amplitude_px, wave.wavelength_px) / 1.2,
    sideways: slope(wave.sideways_px, wave.sideways_wavelength_px) / 1.2,
    tilt: letters.tilt_degrees / 100,
    wobble: letters.wobble_px / 8,
    speckles: 6.5 * cover * (largestPx / (capitalPx / STROKES_IN_CAPITAL)),
  };
}
