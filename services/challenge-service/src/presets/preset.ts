// The schema of an image preset, and the built-in default preset.
import { type Static, Type } from '@sinclair/typebox';
import { BUNDLED_CHARACTERS, FONT_NAMES } from '../image/fonts.js';

const strict = { additionalProperties: false };

const Colour = Type.String({ pattern: '^#[0-9a-f]{6}$' });

/** Fewest characters in an alphabet. */
export const MIN_ALPHABET = 8;

const Phrase = Type.Object(
  {
    length: Type.Integer({ minimum: 4, maximum: 8, description: 'characters in an answer' }),
    alphabet: Type.String({
      pattern: `^(?!.*(.).*\\1)[${BUNDLED_CHARACTERS}]{${MIN_ALPHABET},}$`,
      description: 'possible characters, each once, in the displayed case',
    }),
    ignore_capitals: Type.Boolean(),
  },
  strict,
);

const Picture = Type.Object(
  {
    width: Type.Integer({ minimum: 120, maximum: 480, description: 'displayed size in CSS pixels' }),
    height: Type.Integer({ minimum: 40, maximum: 160, description: 'displayed size in CSS pixels' }),
    scale: Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'PNG pixels per CSS pixel, in each direction',
    }),
    palettes: Type.Array(
      Type.Object({ background: Colour, letters: Type.Array(Colour, { minItems: 1, maxItems: 3 }) }, strict),
      {
        minItems: 1,
        description: 'one is chosen for each image; letter colours change across the image',
        expected: 'a list of { background, letters }, with one to three letters, in colours such as #1d3f8f',
      },
    ),
    counterchange_px: Type.Integer({
      minimum: 0,
      maximum: 16,
      description: 'bends of the line at which paper and ink swap; 0 for no line',
    }),
    counterchange_wavelength_px: Type.Integer({
      minimum: 40,
      maximum: 400,
      description: 'varies by a fifth',
    }),
  },
  strict,
);

const Letters = Type.Object(
  {
    fonts: Type.Array(Type.Union(FONT_NAMES.map((font) => Type.Literal(font))), {
      minItems: 1,
      expected: `a list with one or more of ${FONT_NAMES.join(', ')}`,
    }),
    overlap_px: Type.Integer({
      minimum: -16,
      maximum: 8,
      description: 'above 0 letters touch, below 0 there is a gap',
    }),
    tilt_degrees: Type.Integer({ minimum: 0, maximum: 30, description: 'largest tilt, either way' }),
    wobble_px: Type.Integer({ minimum: 0, maximum: 4, description: 'sway of letter strokes' }),
    shift_px: Type.Integer({
      minimum: 0,
      maximum: 12,
      description: 'largest shift off the base line, either way',
    }),
  },
  strict,
);

const Wave = Type.Object(
  {
    amplitude_px: Type.Integer({ minimum: 0, maximum: 10, description: 'up and down' }),
    wavelength_px: Type.Integer({ minimum: 40, maximum: 400, description: 'varies by a fifth' }),
    sideways_px: Type.Integer({ minimum: 0, maximum: 10, description: 'amplitude to the sides' }),
    sideways_wavelength_px: Type.Integer({ minimum: 40, maximum: 400, description: 'varies by a fifth' }),
  },
  strict,
);

const Speckles = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: 400 }),
    radius_tenths_px: Type.Integer({ minimum: 5, maximum: 40, description: 'radius of the largest' }),
  },
  strict,
);

/** A preset in groups of options. An operator's preset inherits omitted options. */
export const ImagePreset = Type.Object(
  { phrase: Phrase, picture: Picture, letters: Letters, wave: Wave, speckles: Speckles },
  { ...strict, $id: 'ImagePreset' },
);
export type ImagePreset = Static<typeof ImagePreset>;

/**
 * The built-in preset: six case-insensitive characters, and letter colours with a contrast of at least 7:1 to their
 * background. The alphabet omits K and Y, which people mistake for other letters where they bend, and A, e and R, the
 * letters that programs trained on English guess most, and so most often correctly at random. The fonts omit the one with
 * serifs, because serifs close the gap to the next letter.
 */
export const defaultPreset: ImagePreset = {
  phrase: { length: 6, alphabet: 'CdHPTX23', ignore_capitals: true },
  picture: {
    width: 240,
    height: 80,
    scale: 2,
    palettes: [
      { background: '#f4f7fb', letters: ['#1d3f8f', '#0b5563', '#5b2a86'] },
      { background: '#f3faf5', letters: ['#14532d', '#1f4e79', '#0f5257'] },
      { background: '#fdf6f0', letters: ['#8a2a12', '#6b2154', '#4a3a0c'] },
      { background: '#fbf5fa', letters: ['#7a1f5c', '#44308f', '#8b2436'] },
      { background: '#f7f7f2', letters: ['#2f3e46', '#174c6b', '#57371c'] },
    ],
    counterchange_px: 8,
    counterchange_wavelength_px: 110,
  },
  letters: {
    fonts: ['open-sans', 'roboto-condensed', 'cantarell'],
    overlap_px: 1,
    tilt_degrees: 8,
    wobble_px: 2,
    shift_px: 5,
  },
  wave: { amplitude_px: 7, wavelength_px: 85, sideways_px: 1, sideways_wavelength_px: 60 },
  speckles: { count: 40, radius_tenths_px: 23 },
};
