// Whether people can read the images of a preset: from the room for each letter, and from how much its effects come to together.

import { marginsOf, SHARE_OF_HEIGHT } from '../image/layout.js';
import { CAPITAL_PX } from '../image/sprites.js';
import type { ImagePreset } from './preset.js';

/** Lower letters with the effects of the default were read wrongly in every third image, letters of this height hardly ever. */
const LEAST_CAPITAL_PX = 24;

/** Sums of effects above this were read wrongly in every second image; the default comes to 78 % of it. */
const MOST_DISTORTION = 1.4;

/** Room that a letter takes in a row, before it is scaled: measured over all bundled letters. */
const ADVANCE = { touching: 35.5, leastTouching: 32, forGap: 0.85, forTilt: 0.12 };
/** Room that a row of letters takes from top to bottom, before it is scaled. */
const ROW = { upright: 51, forShift: 1.2 };
/** A capital is as high as so many strokes are wide. */
const STROKES_IN_CAPITAL = 7;
/** A wavelength is drawn a fifth shorter at most. */
const SHORTEST_WAVE = 0.8;

/** Why people could not read the images, as words that follow the preset's name; null when they can. */
export function readabilityMistake(preset: ImagePreset): string | null {
  const capitalPx = expectedCapital(preset);
  if (capitalPx < LEAST_CAPITAL_PX) {
    return (
      ` cannot be read: its letters would be ${Math.floor(capitalPx)} pixels high, and have to be ${LEAST_CAPITAL_PX};` +
      ' make the picture larger, or the answer, the waves or the gaps smaller'
    );
  }
  const parts = distortionOf(preset, capitalPx);
  const percent = (part: number) => Math.round((part / MOST_DISTORTION) * 100);
  const all = percent(Object.values(parts).reduce((sum, part) => sum + part, 0));
  if (all <= 100) return null;
  const shares = Object.entries(parts).map(([name, part]) => `${name} ${percent(part)}`);
  return ` cannot be read: its effects come to ${all} % of what people can read through (${shares.join(', ')})`;
}

/** Height of its capitals in CSS pixels, as half of its images have it. */
export function expectedCapital({ phrase, picture, letters, wave }: ImagePreset): number {
  const margins = marginsOf(wave);
  const advance =
    Math.max(ADVANCE.leastTouching, ADVANCE.touching - letters.overlap_px * ADVANCE.forGap) +
    letters.tilt_degrees * ADVANCE.forTilt;
  const acrossPx = (picture.width - 2 * margins.x) / (phrase.length * advance);
  const downPx = (picture.height - 2 * margins.y) / (ROW.upright + letters.shift_px * ROW.forShift);
  return Math.min(acrossPx * CAPITAL_PX, downPx * CAPITAL_PX, picture.height * SHARE_OF_HEIGHT);
}

/** What each effect adds: 1 would be hard to read on its own. */
function distortionOf({ picture, letters, wave, speckles }: ImagePreset, capitalPx: number) {
  const slope = (amplitudePx: number, wavelengthPx: number) =>
    (2 * Math.PI * amplitudePx) / (wavelengthPx * SHORTEST_WAVE);
  const largestPx = speckles.radius_tenths_px / 10;
  // Radii are spread evenly between half of the largest and the largest.
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
