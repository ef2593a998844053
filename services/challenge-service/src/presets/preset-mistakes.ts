// Validates an operator's preset, with a line for each mistake.

import { Value } from '@sinclair/typebox/value';
import { expectationOf, leavesOf, strangersIn, valueAt } from '@tollgate/shared/schemas';
import { contrastBetween } from '../image/colours.js';
import { BUNDLED_CHARACTERS } from '../image/fonts.js';
import { ImagePreset, MIN_ALPHABET } from './preset.js';

type Palettes = ImagePreset['picture']['palettes'];

const MAX_ALPHABET = 128;
// The minimum of WCAG 2.2 (1.4.3) for large text.
const MIN_CONTRAST = 3;
const MAX_QUOTED = 60;

/**
 * Returns the mistakes in one preset; each continues its name (`.phrase.length must be …`).
 * @param input an object; omitted options are inherited
 * @param anyCharacter whether the renderer can draw other characters than the bundled ones
 */
export function presetMistakes(input: unknown, anyCharacter: boolean): string[] {
  const { kind, ...groups } = input as Readonly<Record<string, unknown>>;
  const unknownOptions = strangersIn(groups, ImagePreset).map((line) => `.${line}`);
  const invalidOptions = leavesOf(ImagePreset).flatMap(({ path, schema }) => {
    const value = valueAt(groups, path);
    if (value === undefined) return [];
    const name = `.${path.join('.')}`;
    if (name === '.phrase.alphabet') {
      return alphabetMistakes(value, anyCharacter).map((mistake) => `${name} ${mistake}`);
    }
    if (!Value.Check(schema, value)) {
      return [`${name} must be ${expectationOf(schema)}, not ${quoted(value)}`];
    }
    return name === '.picture.palettes' ? paletteMistakes(value as Palettes).map((line) => name + line) : [];
  });
  const isKindInvalid = kind !== undefined && typeof kind !== 'string';
  return [
    ...(isKindInvalid ? [`.kind must be the name of a kind, not ${quoted(kind)}`] : []),
    ...unknownOptions,
    ...invalidOptions,
  ];
}

function paletteMistakes(palettes: Palettes): string[] {
  return palettes.flatMap(({ background, letters }, at) =>
    letters
      .filter((letter) => contrastBetween(letter, background) < MIN_CONTRAST)
      .map(
        (letter) =>
          `[${at}] must have letters with a contrast of ${MIN_CONTRAST}:1 or more, not ${letter} on ${background}`,
      ),
  );
}

function alphabetMistakes(value: unknown, anyCharacter: boolean): string[] {
  if (typeof value !== 'string') return [`must be a text of different characters, not ${quoted(value)}`];
  const characters = [...value];
  const distinct = new Set(characters);
  const unsupported = [...distinct].filter((character) =>
    anyCharacter
      ? !/^[\p{L}\p{N}]$/u.test(character) || character.length > 1
      : !BUNDLED_CHARACTERS.includes(character),
  );
  const isSized = distinct.size >= MIN_ALPHABET && characters.length <= MAX_ALPHABET;
  return [
    ...(unsupported.length === 0
      ? []
      : [
          `has ${unsupported.map((character) => JSON.stringify(character)).join(', ')}: ${
            anyCharacter
              ? 'only letters and digits are allowed'
              : `the bundled fonts have only ${BUNDLED_CHARACTERS}`
          }`,
        ]),
    ...(distinct.size === characters.length ? [] : ['has a character more than once']),
    ...(isSized ? [] : [`must have ${MIN_ALPHABET} to ${MAX_ALPHABET} different characters`]),
  ];
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
