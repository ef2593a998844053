// The default preset and the operator's presets.

import { readFileSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import type { AnswerType, VerifiedType } from '@tollgate/shared/challenges';
import { resolveCaptchaOptions } from '@tollgate/shared/schemas';
import t from 'tap';
import { BUNDLED_CHARACTERS, FONT_NAMES, fontPath } from '../../src/image/fonts.js';
import { defaultPreset, ImagePreset } from '../../src/presets/preset.js';
import { findPreset, type PresetDependencies, resolvePresets } from '../../src/presets/presets.js';

// The default preset: valid, readable, and covered by its fonts.

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

// The operator's presets: completed from the default, validated option by option, identified by fingerprint.

const options = resolveCaptchaOptions();
const sum: AnswerType = { name: 'sum', make: () => ({ answer: '4', fields: { question: '2 and 2' } }) };
const shown: AnswerType = { name: 'shown', make: ({ phrase }) => ({ answer: 'x', text: phrase.alphabet }) };

const verified: VerifiedType = {
  name: 'verified',
  maxAnswerCharacters: 8,
  hasMinimumTime: true,
  issue: () => ({ fields: {} }),
  verify: () => 'wrong',
};

function resolve(presets: unknown, deps: Partial<PresetDependencies> = {}) {
  return resolvePresets({ options, sources: [{ name: 'SOURCE', presets }], ...deps });
}

t.test('a preset inherits omitted options from the default', async (t) => {
  const { presets, mistakes } = resolve({
    large: { phrase: { length: 5 }, picture: { width: 400, height: 130 } },
    plain: { wave: { amplitude_px: 0, sideways_px: 0 }, speckles: { count: 0 } },
    same: {},
  });
  t.strictSame(mistakes, []);
  t.strictSame([...presets.keys()], ['default', 'large', 'plain', 'same']);
  t.strictSame(presets.get('large')?.preset, {
    ...defaultPreset,
    phrase: { ...defaultPreset.phrase, length: 5 },
    picture: { ...defaultPreset.picture, width: 400, height: 130 },
  });
  t.strictSame(presets.get('plain')?.preset, {
    ...defaultPreset,
    wave: { ...defaultPreset.wave, amplitude_px: 0, sideways_px: 0 },
    speckles: { ...defaultPreset.speckles, count: 0 },
  });
  t.strictSame(presets.get('same')?.preset, defaultPreset);
  t.equal(findPreset(presets, '')?.name, 'default');
});

t.test("the operator's default replaces the built-in one, and the others inherit from it", async (t) => {
  const { presets, mistakes } = resolve({
    wide: { picture: { width: 480 } },
    default: { phrase: { length: 8 }, speckles: { count: 0 } },
  });
  t.strictSame(mistakes, []);
  t.strictSame([...presets.keys()], ['default', 'wide']);
  t.match(presets.get('default')?.preset, { phrase: { length: 8 }, speckles: { count: 0 } });
  t.match(presets.get('wide')?.preset, {
    phrase: { length: 8 },
    speckles: { count: 0 },
    picture: { width: 480, height: defaultPreset.picture.height },
  });
  t.equal(findPreset(presets, '')?.preset.phrase.length, 8);
  t.not(presets.get('default')?.fingerprint, resolvePresets({ options }).presets.get('default')?.fingerprint);
  const twice = resolvePresets({
    options,
    sources: [
      { name: 'ONE', presets: { default: {} } },
      { name: 'TWO', presets: { default: {} } },
    ],
  });
  t.strictSame(twice.mistakes, ['TWO default exists twice']);
  const asked = resolve({ default: { kind: 'sum' }, other: {} }, { kinds: [sum] });
  t.strictSame([asked.mistakes, asked.presets.get('other')?.kind], [[], sum]);
});

t.test('every error is a line that names the option', async (t) => {
  const lines: [unknown, string[]][] = [
    [[], ['SOURCE must be an object of presets by name']],
    [null, ['SOURCE must be an object of presets by name']],
    [{ a: 5 }, ['SOURCE a must be an object']],
    [{ effort: {} }, ['SOURCE effort must not be named effort, which has no image']],
    [
      { default: { phrase: { length: 9 } } },
      ['SOURCE default.phrase.length must be a whole number from 4 to 8, not 9'],
    ],
    [{ default: { kind: 'none' } }, ['SOURCE default.kind must be one of text, sum, verified, not "none"']],
    [
      { '../a': {} },
      ['SOURCE "../a" must have a name of 1 to 32 letters, digits, _ or -, starting with a letter'],
    ],
    [
      JSON.parse('{ "__proto__": {} }'),
      ['SOURCE "__proto__" must have a name of 1 to 32 letters, digits, _ or -, starting with a letter'],
    ],
    [{ a: { noise: {} } }, ['SOURCE a.noise: unknown option']],
    [{ a: { wave: { length: 1 } } }, ['SOURCE a.wave.length: unknown option']],
    [{ a: { wave: 5 } }, ['SOURCE a.wave must be a group of options']],
    [{ a: { wave: null } }, ['SOURCE a.wave must be a group of options']],
    [
      {
        a: {
          picture: {
            palettes: [
              { background: '#ffffff', letters: ['#949494', '#959595'] },
              { background: '#203040', letters: ['#203040'] },
            ],
          },
        },
      },
      [
        'SOURCE a.picture.palettes[0] must have letters with a contrast of 3:1 or more, not #959595 on #ffffff',
        'SOURCE a.picture.palettes[1] must have letters with a contrast of 3:1 or more, not #203040 on #203040',
      ],
    ],
    [{ a: { phrase: { length: 9 } } }, ['SOURCE a.phrase.length must be a whole number from 4 to 8, not 9']],
    [
      { a: { phrase: { length: '6' } } },
      ['SOURCE a.phrase.length must be a whole number from 4 to 8, not "6"'],
    ],
    [
      { a: { phrase: { length: null } } },
      ['SOURCE a.phrase.length must be a whole number from 4 to 8, not null'],
    ],
    [{ a: { kind: 'sums' } }, ['SOURCE a.kind must be one of text, sum, verified, not "sums"']],
    [{ a: { kind: 5 } }, ['SOURCE a.kind must be the name of a kind, not 5']],
    [
      { a: { letters: { fonts: ['Comic'] } } },
      [
        'SOURCE a.letters.fonts must be a list with one or more of open-sans, roboto-condensed, roboto-slab, cantarell, not ["Comic"]',
      ],
    ],
    [
      { a: { picture: { palettes: [] } }, b: { speckles: { count: -1 } } },
      [
        'SOURCE a.picture.palettes must be a list of { background, letters }, with one to three letters, in colours such as #1d3f8f, not []',
        'SOURCE b.speckles.count must be a whole number from 0 to 400, not -1',
      ],
    ],
  ];
  for (const [presets, expected] of lines) {
    t.strictSame(resolve(presets, { kinds: [sum, verified] }).mistakes, expected);
  }
});

t.test('an unreadable preset stops the start with a one-line reason', async (t) => {
  const mistakesOf = (preset: unknown, deps?: Partial<PresetDependencies>) =>
    resolve({ a: preset }, deps).mistakes;
  const tooSmall =
    /^SOURCE a cannot be read: its letters would be \d+ pixels high, the minimum is 24; make the/;
  for (const preset of [
    { phrase: { length: 8 }, picture: { width: 120, height: 40 } },
    { picture: { width: 120, height: 40 } },
    { phrase: { length: 8 }, picture: { width: 120 } },
    { picture: { height: 44 } },
    { phrase: { length: 8 }, picture: { width: 140, height: 60 }, letters: { overlap_px: -16 } },
  ]) {
    const mistakes = mistakesOf(preset);
    t.equal(mistakes.length, 1, JSON.stringify(preset));
    t.match(mistakes[0], tooSmall);
  }
  const tooMuch =
    /^SOURCE a cannot be read: its effects add up to 1\d\d % of the readable maximum \(line \d+, wave \d+, sideways \d+, tilt \d+, wobble \d+, speckles \d+\)$/;
  for (const preset of [
    { wave: { amplitude_px: 10, wavelength_px: 40 } },
    { wave: { sideways_px: 10, sideways_wavelength_px: 60 } },
    { speckles: { count: 200, radius_tenths_px: 40 } },
    { letters: { tilt_degrees: 30, wobble_px: 4 }, wave: { amplitude_px: 10 } },
    { picture: { counterchange_px: 16, counterchange_wavelength_px: 40 } },
  ]) {
    const mistakes = mistakesOf(preset);
    t.equal(mistakes.length, 1, JSON.stringify(preset));
    t.match(mistakes[0], tooMuch);
  }
  const everything = {
    phrase: { length: 8 },
    picture: { counterchange_px: 16, counterchange_wavelength_px: 40 },
    letters: { overlap_px: 8, tilt_degrees: 30, wobble_px: 4, shift_px: 12 },
    wave: { amplitude_px: 10, wavelength_px: 40, sideways_px: 10, sideways_wavelength_px: 40 },
    speckles: { count: 400, radius_tenths_px: 40 },
  };
  t.match(mistakesOf(everything), [/^SOURCE a cannot be read: its effects add up to \d{3} %/]);
  t.strictSame(
    mistakesOf(everything, { hasCustomRenderer: true }),
    [],
    'a custom renderer may draw anything',
  );
  t.strictSame(
    mistakesOf({ ...everything, kind: 'sum' }, { kinds: [sum] }),
    [],
    'a custom type has its own texts',
  );
  for (const preset of [
    {},
    { phrase: { length: 5 }, picture: { width: 400, height: 130 } },
    { picture: { width: 480, height: 160 } },
    { phrase: { length: 8 } },
    { phrase: { length: 4 }, picture: { width: 120, height: 60 } },
    { letters: { tilt_degrees: 30 } },
    { letters: { wobble_px: 4 } },
    { wave: { amplitude_px: 10 } },
    { picture: { counterchange_px: 0 }, wave: { amplitude_px: 2 }, speckles: { count: 0 } },
  ]) {
    t.strictSame(mistakesOf(preset), [], JSON.stringify(preset));
  }
});

t.test('an error in an alphabet names the characters missing from the bundled fonts', async (t) => {
  const alphabet = (text: unknown, deps?: Partial<PresetDependencies>) =>
    resolve({ a: { phrase: { alphabet: text } } }, deps).mistakes.map((line) =>
      line.replace('SOURCE a.phrase.', ''),
    );
  const shipped = defaultPreset.phrase.alphabet;
  const [first = ''] = shipped;
  t.strictSame(alphabet(shipped), []);
  t.match(alphabet(`${shipped}0é`), [/^alphabet has "0", "é": the bundled fonts have only \w+$/]);
  t.strictSame(alphabet(`${shipped}${first}`), ['alphabet has a character more than once']);
  t.strictSame(alphabet(first), ['alphabet must have 8 to 128 different characters']);
  t.strictSame(alphabet(5), ['alphabet must be a text of different characters, not 5']);
  t.strictSame(alphabet('abcdefgh0é', { hasCustomRenderer: true }), [], 'a renderer may know others');
  t.match(alphabet('abcdefgh !', { hasCustomRenderer: true }), [/^alphabet has " ", "!": only letters/]);
});

t.test("a preset's fingerprint changes only with its options", async (t) => {
  const fingerprintOf = (preset: unknown, deps?: Partial<PresetDependencies>) =>
    resolve({ a: preset }, { kinds: [sum], ...deps }).presets.get('a')?.fingerprint;
  const fingerprint = fingerprintOf({ phrase: { length: 5, ignore_capitals: true } });
  t.match(fingerprint, /^a@[0-9a-f]{8}$/);
  t.equal(fingerprintOf({ phrase: { ignore_capitals: true, length: 5 } }), fingerprint);
  const others = [{ phrase: { length: 6 } }, { phrase: { length: 5 }, wave: { amplitude_px: 1 } }];
  for (const other of [...others, { phrase: { length: 5 }, kind: 'sum' }])
    t.not(fingerprintOf(other), fingerprint);
});

t.test("the default preset's challenge type is an option, and others inherit it", async (t) => {
  const deps = { options: resolveCaptchaOptions({ phrase: { type: 'sum', width: 300 } }), kinds: [sum] };
  const { presets, mistakes } = resolve(
    { narrow: { picture: { width: 200 } }, text: { kind: 'text' } },
    deps,
  );
  t.strictSame(mistakes, []);
  t.strictSame(
    [...presets.values()].map(({ name, kind, preset }) => [name, kind?.name, preset.picture.width]),
    [
      ['default', 'sum', 300],
      ['narrow', 'sum', 200],
      ['text', undefined, defaultPreset.picture.width],
    ],
  );
  t.strictSame(resolvePresets({ ...deps, kinds: [] }).mistakes, [
    'CAPTCHA_PHRASE_TYPE must be one of text, not "sum"',
  ]);
});

t.test('two sources are combined and must not contain the same name', async (t) => {
  const sources = [
    { name: 'ONE', presets: { a: {} } },
    { name: 'OTHER', presets: { b: {}, a: {} } },
  ];
  t.strictSame(resolvePresets({ options, sources }).mistakes, ['OTHER a exists twice']);
});

t.test('a failing challenge type stops the start', async (t) => {
  const mistakeOf = (kind: AnswerType | VerifiedType) =>
    resolve({ a: { kind: kind.name } }, { kinds: [kind] }).mistakes.map((line) =>
      line.replace('SOURCE a.kind: ', ''),
    );
  const make = (made: unknown): AnswerType => ({ name: 'own', make: () => made as { answer: string } });
  let calls = 0;
  const answers = 'make of the kind own must give an answer of 1 to 64 characters';
  const lines: [AnswerType | VerifiedType, string][] = [
    [make(undefined), 'make of the kind own must return an object, and give its fields as one'],
    [make({}), answers],
    [make({ answer: ' ' }), answers],
    [make({ answer: 'x'.repeat(65) }), answers],
    [make({ answer: 'x', text: '' }), 'make of the kind own must give a text of 1 to 64 characters, or none'],
    [make({ answer: 'x', fields: { token: 1 } }), 'make of the kind own must not give a field named token'],
    [make({ answer: 'x', fields: { answer: 1 } }), 'make of the kind own must not give a field named answer'],
    [
      make({ answer: 'x', fields: { constructor: 1 } }),
      'make of the kind own must not give a field named constructor',
    ],
    [make({ answer: 'x', fields: { big: 1n } }), 'make of the kind own threw TypeError'],
    [
      { name: 'own', make: () => ({ answer: String(calls++) }) },
      'make of the kind own must give the same answer for the same random choices',
    ],
    [
      { ...verified, issue: () => ({ rest: 'a\nb' }) },
      'issue of the kind verified must give a rest of 1 to 4000 characters without control characters, or none',
    ],
  ];
  for (const [kind, line] of lines) t.strictSame(mistakeOf(kind), [line]);
  t.match(mistakeOf({ ...shown, make: () => ({ answer: 'x', text: '?' }) }), [
    /^make of the kind shown must not give the text "\?": the bundled fonts have only/,
  ]);
  t.strictSame(mistakeOf(shown), []);
  const { issue: _none, ...checkedOnly } = verified;
  t.strictSame(resolve({ a: { kind: 'verified' } }, { kinds: [checkedOnly] }).mistakes, [
    'SOURCE a.kind must be one of text, not "verified"',
  ]);
});
