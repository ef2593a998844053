// What is wrong with a preset as an operator wrote it, a line for each option.

import { Value } from '@sinclair/typebox/value';
import { expectationOf } from '@tollgate/shared/schemas/configuration-error.js';
import { leavesOf, strangersIn, valueAt } from '@tollgate/shared/schemas/option-tree.js';
import { contrastBetween } from '../image/contrast.js';
import { BUNDLED_CHARACTERS } from '../image/fonts.js';
import { ImagePreset, SHORTEST_ALPHABET } from '../image/preset.js';

type Palettes = ImagePreset['picture']['palettes'];

const LONGEST_ALPHABET = 128;
// What WCAG 2.2 (1.4.3) asks of large text.
const LEAST_CONTRAST = 3;
const LONGEST_SHOWN = 60;

/**
 * The mistakes in one preset; each continues its name (`.phrase.length must be …`).
 * @param input an object; what is left out is the default's
 * @param anyCharacter whether what draws knows other characters than the bundled ones
 */
export function presetMistakes(input: unknown, anyCharacter: boolean): string[] {
  const { kind, ...groups } = input as Readonly<Record<string, unknown>>;
  const strangers = strangersIn(groups, ImagePreset).map((line) => `.${line}`);
  const wrong = leavesOf(ImagePreset).flatMap(({ path, schema }) => {
    const value = valueAt(groups, path);
    if (value === undefined) return [];
    const name = `.${path.join('.')}`;
    if (name === '.phrase.alphabet') {
      return alphabetMistakes(value, anyCharacter).map((mistake) => `${name} ${mistake}`);
    }
    if (!Value.Check(schema, value)) {
      return [`${name} must be ${expectationOf(schema)}, not ${shown(value)}`];
    }
    return name === '.picture.palettes' ? paletteMistakes(value as Palettes).map((line) => name + line) : [];
  });
  const wrongKind = kind !== undefined && typeof kind !== 'string';
  return [
    ...(wrongKind ? [`.kind must be the name of a kind, not ${shown(kind)}`] : []),
    ...strangers,
    ...wrong,
  ];
}

function paletteMistakes(palettes: Palettes): string[] {
  return palettes.flatMap(({ background, letters }, at) =>
    letters
      .filter((letter) => contrastBetween(letter, background) < LEAST_CONTRAST)
      .map(
        (letter) =>
          `[${at}] must have letters with a contrast of ${LEAST_CONTRAST}:1 or more, not ${letter} on ${background}`,
      ),
  );
}

function alphabetMistakes(value: unknown, anyCharacter: boolean): string[] {
  if (typeof value !== 'string') return [`must be a text of different characters, not ${shown(value)}`];
  const characters = [...value];
  const distinct = new Set(characters);
  const foreign = [...distinct].filter((character) =>
    anyCharacter
      ? !/^[\p{L}\p{N}]$/u.test(character) || character.length > 1
      : !BUNDLED_CHARACTERS.includes(character),
  );
  const isSized = distinct.size >= SHORTEST_ALPHABET && characters.length <= LONGEST_ALPHABET;
  return [
    ...(foreign.length === 0
      ? []
      : [
          `has ${foreign.map((character) => JSON.stringify(character)).join(', ')}: ${
            anyCharacter
              ? 'there may be letters and digits only'
              : `the bundled fonts hold ${BUNDLED_CHARACTERS} alone`
          }`,
        ]),
    ...(distinct.size === characters.length ? [] : ['has a character more than once']),
    ...(isSized ? [] : [`must have ${SHORTEST_ALPHABET} to ${LONGEST_ALPHABET} different characters`]),
  ];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
