// The default preset: valid, readable, and covered by its fonts.
import { readFileSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import t from 'tap';
import { BUNDLED_CHARACTERS, FONT_NAMES, fontPath } from '../../src/image/fonts.js';
import { defaultPreset, ImagePreset } from '../../src/presets/preset.js';

t.test('the default preset satisfies its own schema', async (t) => {
  t.ok(Value.Check(ImagePreset, defaultPreset));
});

t.test('a preset with a duplicate, unsupported or confusable character is rejected', async (t) => {
  for (const alphabet of ['AACdeHKPR', 'ACdeHKPRé', 'ACdeHKPR4', 'ACd']) {
    const preset = { ...defaultPreset, phrase: { ...defaultPreset.phrase, alphabet } };
    t.notOk(Value.Check(ImagePreset, preset), alphabet);
  }
});

t.test('no two characters of the alphabet differ only in case', async (t) => {
  t.equal(new Set(BUNDLED_CHARACTERS.toLowerCase()).size, BUNDLED_CHARACTERS.length);
});

t.test('every letter colour has a contrast of at least 7:1 to its background', async (t) => {
  for (const { background, letters } of defaultPreset.picture.palettes) {
    for (const letter of letters) {
      const ratio = (luminance(background) + 0.05) / (luminance(letter) + 0.05);
      t.ok(ratio >= 7, `${letter} on ${background}: ${ratio.toFixed(1)}`);
    }
  }
});

t.test('every bundled font is a few kilobytes and has exactly the bundled characters', async (t) => {
  for (const font of FONT_NAMES) {
    const file = readFileSync(fontPath(font));
    t.ok(file.length < 4096, font);
    t.same(charactersOf(file), [...BUNDLED_CHARACTERS].sort(), font);
  }
});

/** Relative luminance, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Returns the characters in a TrueType file's character map (OpenType specification, `cmap` format 4). */
function charactersOf(file: Buffer): string[] {
  const tables = file.readUInt16BE(4);
  const entry = Array.from({ length: tables }, (_, index) => 12 + index * 16).find(
    (at) => file.toString('latin1', at, at + 4) === 'cmap',
  );
  const cmap = file.readUInt32BE(entry! + 8);
  const subtable = cmap + file.readUInt32BE(cmap + 8);
  const segments = file.readUInt16BE(subtable + 6) / 2;
  const characters: string[] = [];
  for (let segment = 0; segment < segments; segment++) {
    const last = file.readUInt16BE(subtable + 14 + segment * 2);
    const first = file.readUInt16BE(subtable + 16 + (segments + segment) * 2);
    for (let code = first; code <= last && code < 0xffff; code++) characters.push(String.fromCharCode(code));
  }
  return characters.sort();
}
