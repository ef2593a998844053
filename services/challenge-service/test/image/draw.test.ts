// Images: the library, the characters and effects derived from key, token and seed, and the drawing.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import fc from 'fast-check';
import t from 'tap';
import { answerText, drawingJob } from '../../src/image/derivation.js';
import { drawImage } from '../../src/image/draw.js';
import { defaultPreset, type ImagePreset } from '../../src/presets/preset.js';
import { type DriverName, loadDriver } from '../../src/renderer/driver.js';
import { drawKey, hashOf, sampleJob, startDriver, token } from './samples.js';

const require = createRequire(import.meta.url);
const { alphabet, length } = defaultPreset.phrase;

// Image library selection.

function refusing(...names: string[]) {
  return (specifier: string): unknown => {
    if (names.includes(specifier)) throw new Error(`${specifier} has no binary`);
    return require(specifier);
  };
}

t.test('the second library is used if the first fails to load', async (t) => {
  t.equal(loadDriver(undefined, refusing('canvas'))?.name, '@napi-rs/canvas');
});

t.test('the libraries are tried in order', async (t) => {
  const asked: string[] = [];
  loadDriver(undefined, (specifier) => {
    asked.push(specifier);
    throw new Error('nothing here');
  });
  t.same(asked, ['canvas', '@napi-rs/canvas']);
});

t.test('without any library there is no driver', async (t) => {
  t.equal(loadDriver(undefined, refusing('canvas', '@napi-rs/canvas')), null);
});

t.test('a named library that fails to load is an error even if another would load', async (t) => {
  t.throws(() => loadDriver('canvas', refusing('canvas')), {
    message: 'the image library canvas does not load',
  });
});

t.test('an unknown library name is an error', async (t) => {
  for (const name of ['sharp', '', '__proto__', 'constructor']) {
    t.throws(() => loadDriver(name as DriverName), { message: `unknown image library: ${name}` });
  }
});

t.test('a named library is used', async (t) => {
  const driver = loadDriver('@napi-rs/canvas');
  t.equal(driver?.name, '@napi-rs/canvas');
  t.match(driver?.version, /^\d+\.\d+\.\d+/);
});

// Characters and effects of an image, derived from key, token and seed.

t.test("an answer has the preset's length and only its characters", async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.nat(),
      fc.integer({ min: 4, max: 8 }),
      (key, seed, wanted) => {
        const preset = { ...defaultPreset, phrase: { ...defaultPreset.phrase, length: wanted } };
        const text = answerText(key, token, seed, preset);
        return text.length === wanted && [...text].every((character) => alphabet.includes(character));
      },
    ),
  );
  t.equal(length, 6);
});

t.test('the same key, token and seed give the same job, and any change gives another', async (t) => {
  const job = drawingJob(drawKey, token, 7, defaultPreset);
  t.same(drawingJob(drawKey, token, 7, defaultPreset), job);
  const others = [
    drawingJob(new Uint8Array(32).fill(0x5b), token, 7, defaultPreset),
    drawingJob(drawKey, token.replace('a', 'b'), 7, defaultPreset),
    drawingJob(drawKey, token, 8, defaultPreset),
  ];
  for (const other of others) {
    t.not(other.text, job.text);
    t.notSame(other.effectsSeed, job.effectsSeed);
  }
});

t.test('under another draw key, none of a thousand answers is the same', async (t) => {
  const wrongKey = new Uint8Array(32).fill(1);
  const same = Array.from({ length: 1000 }, (_, seed) => seed).filter(
    (seed) =>
      answerText(drawKey, token, seed, defaultPreset) === answerText(wrongKey, token, seed, defaultPreset),
  );
  t.same(same, []);
});

t.test('all characters of the alphabet are equally likely', async (t) => {
  // 256 is no multiple of its length, so some bytes must be rejected.
  const alphabet = 'ABCDEFGHIJK';
  const preset = { ...defaultPreset, phrase: { ...defaultPreset.phrase, alphabet } };
  const counts = new Map([...alphabet].map((character) => [character, 0]));
  const answers = 20_000;
  for (let seed = 0; seed < answers; seed++) {
    for (const character of answerText(drawKey, token, seed, preset)) {
      counts.set(character, counts.get(character)! + 1);
    }
  }
  const expected = (answers * length) / alphabet.length;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  t.equal(counts.size, alphabet.length);
  // The 99.9% quantile of chi-square with 10 degrees of freedom. A modulo without rejection would reach about 70.
  t.ok(chiSquare < 29.6, `chi-square ${chiSquare}`);
});

t.test('a seed other than a non-negative integer is rejected', async (t) => {
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 53]) {
    t.throws(() => answerText(drawKey, token, seed, defaultPreset), RangeError);
  }
});

// Identical bytes, valid files, and the preset's effects.

const { sprites, identity } = await startDriver();
const withoutLine = { ...defaultPreset.picture, counterchange_px: 0 };

/** SHA-256 of the images with seeds 1, 2 and 3, by driver identity. */
const golden: Record<string, string[]> = {
  'canvas@3.2.3:ad580bd2': [
    'cc506c5a9e6ee1c9aef601fba6b5f69620afd129e93ec78a3b5d32369e6df6aa',
    '311ca2af488d088395674f64b9872584ad8004e0e73b31496a2eec27593affe8',
    '26433b1d601b7676a0eaa6021783f558866ffca9dba45e1b0dd6e9224eec2a9a',
  ],
  '@napi-rs/canvas@1.0.11:bf7d5908': [
    '8c3f8a485490a49e9a7d603b8c6f5bc963d282fd54c8c5539d1ab53d3fb25a59',
    'f8658720e961bbfe59662f6d95c9368014c7138445a2b4fdc51ee89f63b40320',
    'a448b2a8c7de795995fc89d51b17b502d8841e93b2871f67ecbc45d3bd557150',
  ],
};

type Pixels = { width: number; height: number; data: Uint8ClampedArray };

async function readPixels(png: Uint8Array): Promise<Pixels> {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  // Copied because each access to the original properties calls native code.
  const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
  return { width, height, data };
}

t.test('a hundred redraws give the same bytes', async (t) => {
  const hashes = new Set(Array.from({ length: 100 }, () => hashOf(drawImage(sprites, sampleJob(1)))));
  t.equal(hashes.size, 1);
});

t.test('two other processes with the same identity draw the same bytes', async (t) => {
  const script = fileURLToPath(new URL('./print-hashes.js', import.meta.url));
  const run = () => promisify(execFile)(process.execPath, [script]);
  const [first, second] = await Promise.all([run(), run()]);
  const hashes = Array.from({ length: 20 }, (_, seed) => hashOf(drawImage(sprites, sampleJob(seed))));
  t.same(JSON.parse(first.stdout), { identity, hashes });
  t.equal(second.stdout, first.stdout);
});

for (const name of ['canvas', '@napi-rs/canvas'] as const) {
  t.test(`images of ${name} match the recorded hashes of its identity`, async (t) => {
    if (name === 'canvas' && loadDriver()?.name !== 'canvas') {
      t.comment('canvas does not load here');
      t.throws(() => loadDriver('canvas'));
      return;
    }
    const driver = await startDriver(name);
    const hashes = [1, 2, 3].map((seed) => hashOf(drawImage(driver.sprites, sampleJob(seed))));
    const recorded = golden[driver.identity];
    if (!recorded)
      t.comment(`nothing recorded for ${driver.identity}: only that it repeats itself is checked`);
    const again = await startDriver(name);
    t.equal(again.identity, driver.identity);
    t.same(
      [1, 2, 3].map((seed) => hashOf(drawImage(again.sprites, sampleJob(seed)))),
      recorded ?? hashes,
    );
    t.same(hashes, recorded ?? hashes);
  });
}

t.test('two hundred images are valid PNG files of 480 × 160, half of them under 3 kB', async (t) => {
  const sizes: number[] = [];
  for (let seed = 0; seed < 200; seed++) {
    const png = drawImage(sprites, sampleJob(seed));
    const image = await readPixels(png);
    const { width, height, data } = image;
    const isPaper = paperOf(image);
    let inked = 0;
    const colours = new Set<number>();
    let before = -1;
    for (let at = 0; at < data.length; at += 4) {
      const colour = colourAt(image, at / 4);
      if (colour !== before) colours.add(colour);
      before = colour;
      if (!isPaper(image, at / 4)) inked++;
    }
    sizes.push(png.length);
    const isValid = width === 480 && height === 160 && colours.size <= 4 && inked > 20_000 && inked < 56_800;
    if (!isValid || png.length >= 3500) t.fail(`seed ${seed}: ${width} × ${height}, ${png.length} bytes`);
  }
  const median = sizes.sort((a, b) => a - b)[100]!;
  t.ok(median < 3000, `${median} bytes`);
});

t.test('letters touch: without speckles and line, most neighbours have connected ink', async (t) => {
  const speckles = { ...defaultPreset.speckles, count: 0 };
  const preset = { ...defaultPreset, picture: withoutLine, speckles };
  let pieces = 0;
  const images = 100;
  for (let seed = 0; seed < images; seed++) {
    pieces += countPieces(await readPixels(drawImage(sprites, sampleJob(seed, preset))));
  }
  const neighbours = images * (defaultPreset.phrase.length - 1);
  const touching = 1 - (pieces - images) / neighbours;
  t.ok(touching > 0.8, `${touching} of all neighbours touch`);
});

t.test('every effect is visible: disabling one changes the image', async (t) => {
  const { letters, wave, speckles } = defaultPreset;
  const plainer: ImagePreset[] = [
    { ...defaultPreset, picture: withoutLine },
    { ...defaultPreset, letters: { ...letters, overlap_px: -4 } },
    { ...defaultPreset, letters: { ...letters, tilt_degrees: 0 } },
    { ...defaultPreset, letters: { ...letters, wobble_px: 0 } },
    { ...defaultPreset, letters: { ...letters, shift_px: 0 } },
    { ...defaultPreset, wave: { ...wave, amplitude_px: 0 } },
    { ...defaultPreset, wave: { ...wave, sideways_px: 0 } },
    { ...defaultPreset, speckles: { ...speckles, count: 0 } },
  ];
  const hashes = new Set([defaultPreset, ...plainer].map((p) => hashOf(drawImage(sprites, sampleJob(5, p)))));
  t.equal(hashes.size, plainer.length + 1);
});

t.test('ink and background are swapped on one side of a line across the image', async (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const lined = await readPixels(drawImage(sprites, sampleJob(seed)));
    const plain = await readPixels(
      drawImage(sprites, sampleJob(seed, { ...defaultPreset, picture: withoutLine })),
    );
    const isPaper = paperOf(plain);
    let turned = 0;
    let crossings = 0;
    for (let x = 0; x < 480; x++) {
      let wasTurned: boolean | undefined;
      for (let y = 0; y < 160; y++) {
        const pixel = y * 480 + x;
        const isTurned = isPaper(lined, pixel) !== isPaper(plain, pixel);
        if (isTurned) turned++;
        if (wasTurned !== undefined && wasTurned !== isTurned) crossings++;
        wasTurned = isTurned;
      }
    }
    if (crossings !== 480) t.fail(`seed ${seed}: ${crossings} crossings in 480 columns`);
    if (turned < 480 * 160 * 0.3) t.fail(`seed ${seed}: ${turned} pixels are turned`);
  }
  t.pass('all of them');
});

t.test('with a scale of one an image has one pixel per CSS pixel, and shaded edges', async (t) => {
  const preset = { ...defaultPreset, picture: { ...defaultPreset.picture, scale: 1 } };
  for (let seed = 0; seed < 20; seed++) {
    const small = await readPixels(drawImage(sprites, sampleJob(seed, preset)));
    const large = await readPixels(drawImage(sprites, sampleJob(seed)));
    t.strictSame([small.width, small.height], [240, 80]);
    const colours = new Set(Array.from({ length: 240 * 80 }, (_, pixel) => colourAt(small, pixel)));
    t.ok(colours.size > 4 && colours.size <= 13, `${colours.size} colours`);
    let unlike = 0;
    for (let pixel = 0; pixel < 240 * 80; pixel++) {
      const upperLeft = 2 * (pixel % 240) + 2 * Math.floor(pixel / 240) * 480;
      const quarters = [0, 1, 480, 481].map((step) => colourAt(large, upperLeft + step));
      // Where all four pixels of the sharp image have one colour, the shaded pixel must have the same colour.
      if (new Set(quarters).size === 1 && quarters[0] !== colourAt(small, pixel)) unlike++;
    }
    t.equal(unlike, 0);
  }
});

t.test('letters grow with the image', async (t) => {
  const { letters, picture, speckles } = defaultPreset;
  const plain = { ...defaultPreset, speckles: { ...speckles, count: 0 } };
  const heightOfInk = async (width: number, height: number) => {
    const preset: ImagePreset = {
      ...plain,
      phrase: { ...plain.phrase, length: 5 },
      letters: { ...letters, shift_px: 0, tilt_degrees: 0 },
      picture: { ...picture, width, height, counterchange_px: 0 },
      wave: { ...plain.wave, amplitude_px: 0, sideways_px: 0 },
    };
    const heights: number[] = [];
    for (let seed = 0; seed < 20; seed++) {
      const image = await readPixels(drawImage(sprites, sampleJob(seed, preset)));
      let [top, bottom] = [0, image.height - 1];
      while (top < image.height && !isInked(image, top)) top++;
      while (bottom > top && !isInked(image, bottom)) bottom--;
      heights.push((bottom - top + 1) / 2);
    }
    return heights.sort((a, b) => a - b)[10]!;
  };
  const usual = await heightOfInk(240, 80);
  const large = await heightOfInk(400, 130);
  const largest = await heightOfInk(480, 160);
  t.ok(usual > 40, `${usual} pixels`);
  t.ok(large / usual > 1.55, `${large} pixels of a picture of 400 × 130`);
  t.ok(largest / usual > 1.9, `${largest} pixels of a picture of 480 × 160`);
});

t.test('images have the configured size at every width', async (t) => {
  for (const width of [239, 241, 242, 243]) {
    for (const scale of [1, 2]) {
      const preset = { ...defaultPreset, picture: { ...defaultPreset.picture, width, scale } };
      const image = await readPixels(drawImage(sprites, sampleJob(width, preset)));
      t.strictSame([image.width, image.height], [width * scale, 80 * scale]);
    }
  }
});

t.test('the same text with other effects gives another image', async (t) => {
  const [one, other] = [sampleJob(1), sampleJob(2)];
  t.not(hashOf(drawImage(sprites, { ...one, text: other.text })), hashOf(drawImage(sprites, other)));
});

t.test('a character missing from the bundled fonts is rejected', async (t) => {
  t.throws(() => drawImage(sprites, { ...sampleJob(1), text: 'A0' }), RangeError);
});

function colourAt({ data }: Pixels, pixel: number): number {
  return data[pixel * 4]! * 65_536 + data[pixel * 4 + 1]! * 256 + data[pixel * 4 + 2]!;
}

/** True if a row has a pixel whose colour differs from the image's first pixel. */
function isInked(image: Pixels, y: number): boolean {
  const first = colourAt(image, 0);
  for (let x = 0; x < image.width; x++) if (colourAt(image, y * image.width + x) !== first) return true;
  return false;
}

/** Returns a predicate for background pixels, the lightest colour. */
function paperOf({ data }: Pixels): (image: Pixels, pixel: number) => boolean {
  const sum = (from: Uint8ClampedArray, pixel: number) =>
    from[pixel * 4]! + from[pixel * 4 + 1]! + from[pixel * 4 + 2]!;
  let lightest = 0;
  for (let pixel = 0; pixel < data.length / 4; pixel++) lightest = Math.max(lightest, sum(data, pixel));
  return (image, pixel) => sum(image.data, pixel) === lightest;
}

function countPieces({ width, height, data }: Pixels): number {
  const isInk = (pixel: number) => [0, 1, 2].some((channel) => data[pixel * 4 + channel] !== data[channel]);
  const seen = new Uint8Array(width * height);
  let pieces = 0;
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || !isInk(start)) continue;
    pieces++;
    const open = [start];
    seen[start] = 1;
    for (let pixel = open.pop(); pixel !== undefined; pixel = open.pop()) {
      for (const step of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]) {
        const next = pixel + step;
        if (next < 0 || next >= seen.length || seen[next] || !isInk(next)) continue;
        seen[next] = 1;
        open.push(next);
      }
    }
  }
  return pieces;
}
