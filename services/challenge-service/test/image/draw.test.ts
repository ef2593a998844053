// The images themselves: identical bytes, sound files, and the effects the preset promises.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import t from 'tap';
import { drawImage } from '../../src/image/draw.js';
import { loadDriver } from '../../src/image/driver.js';
import { defaultPreset, type ImagePreset } from '../../src/image/preset.js';
import { hashOf, sampleJob, startDriver } from './samples.js';

const { sprites, identity } = startDriver();

const withoutLine = { ...defaultPreset.picture, counterchange_px: 0 };

/** SHA-256 of the images of seeds 1, 2 and 3, by driver identity. */
const golden: Record<string, string[]> = {
  'canvas@3.2.3:85dee28c': [
    'fcb4468d80a413e701111c8e74d3c46757d3fcca6279ad650a2c9caac20ee0a7',
    '8b930019cef3c840b5d3cd4803f6dfb9682a30b8b5664ca240a91d5d7c95189d',
    '8a5ebb22c9fcf8405442b87a411255aac204f6f88ab19cc6bbbc4b1d617bbe12',
  ],
  '@napi-rs/canvas@1.0.11:b074f278': [
    'bda7f2d077349e8c587fdb62273d571b6b2523c87048d8cdf42a2571894e8f59',
    '999ab7a02dccb1132ce9e5f031ff801ca8cae35ced756c19b366412f485e4da3',
    'c12789fe6d6e755114000178ed73216b809f358e2aa97d78a924d06ee63b6cdc',
  ],
};

type Pixels = { width: number; height: number; data: Uint8ClampedArray };

async function readPixels(png: Uint8Array): Promise<Pixels> {
  const image = await loadImage(Buffer.from(png));
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}

t.test('a hundred redraws give the same bytes', async (t) => {
  const hashes = new Set(Array.from({ length: 100 }, () => hashOf(drawImage(sprites, sampleJob(1)))));
  t.equal(hashes.size, 1);
});

t.test('two other processes draw the same bytes under the same identity', async (t) => {
  const script = fileURLToPath(new URL('./print-hashes.js', import.meta.url));
  const run = () => promisify(execFile)(process.execPath, [script]);
  const [first, second] = await Promise.all([run(), run()]);
  const hashes = Array.from({ length: 20 }, (_, seed) => hashOf(drawImage(sprites, sampleJob(seed))));
  t.same(JSON.parse(first.stdout), { identity, hashes });
  t.equal(second.stdout, first.stdout);
});

for (const name of ['canvas', '@napi-rs/canvas'] as const) {
  t.test(`images of ${name} are the recorded ones of its identity`, async (t) => {
    if (name === 'canvas' && loadDriver()?.name !== 'canvas') {
      t.comment('canvas does not load here');
      t.throws(() => loadDriver('canvas'));
      return;
    }
    const driver = startDriver(name);
    const hashes = [1, 2, 3].map((seed) => hashOf(drawImage(driver.sprites, sampleJob(seed))));
    const recorded = golden[driver.identity];
    if (!recorded)
      t.comment(`nothing recorded for ${driver.identity}: only that it repeats itself is checked`);
    const again = startDriver(name);
    t.equal(again.identity, driver.identity);
    t.same(
      [1, 2, 3].map((seed) => hashOf(drawImage(again.sprites, sampleJob(seed)))),
      recorded ?? hashes,
    );
    t.same(hashes, recorded ?? hashes);
  });
}

t.test('two hundred images are sound PNG files of 240 × 80, half of them under 3 kB', async (t) => {
  const sizes: number[] = [];
  for (let seed = 0; seed < 200; seed++) {
    const png = drawImage(sprites, sampleJob(seed));
    const image = await readPixels(png);
    const { width, height, data } = image;
    const isPaper = paperOf(image);
    let inked = 0;
    const colours = new Set<number>();
    for (let at = 0; at < data.length; at += 4) {
      const colour = data[at]! * 65_536 + data[at + 1]! * 256 + data[at + 2]!;
      colours.add(colour);
      if (!isPaper(image, at / 4)) inked++;
    }
    sizes.push(png.length);
    const isSound = width === 240 && height === 80 && colours.size <= 16 && inked > 5000 && inked < 14_200;
    if (!isSound || png.length >= 3500) t.fail(`seed ${seed}: ${width} × ${height}, ${png.length} bytes`);
  }
  const median = sizes.sort((a, b) => a - b)[100]!;
  t.ok(median < 3000, `${median} bytes`);
});

t.test('letters touch: with neither speckles nor line their ink hangs together mostly', async (t) => {
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

t.test('every effect shows, and switching one off changes the image', async (t) => {
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

t.test('paper and ink change places on one side of a line across the image', async (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const lined = await readPixels(drawImage(sprites, sampleJob(seed)));
    const plain = await readPixels(
      drawImage(sprites, sampleJob(seed, { ...defaultPreset, picture: withoutLine })),
    );
    const isPaper = paperOf(plain);
    let turned = 0;
    let crossings = 0;
    for (let x = 0; x < 240; x++) {
      let wasTurned: boolean | undefined;
      for (let y = 0; y < 80; y++) {
        const pixel = y * 240 + x;
        // Paper against full colour; the shades at the edges of letters are neither.
        const isTurned = isPaper(lined, pixel) !== isPaper(plain, pixel);
        if (isTurned) turned++;
        const isShade = !isPaper(lined, pixel) && !isPaper(plain, pixel);
        if (isShade) continue;
        if (wasTurned !== undefined && wasTurned !== isTurned) crossings++;
        wasTurned = isTurned;
      }
    }
    if (crossings !== 240) t.fail(`seed ${seed}: ${crossings} crossings in 240 columns`);
    if (turned < 240 * 80 * 0.3) t.fail(`seed ${seed}: ${turned} pixels are turned`);
  }
  t.pass('all of them');
});

t.test('the same text under other effects is another image', async (t) => {
  const [one, other] = [sampleJob(1), sampleJob(2)];
  t.not(hashOf(drawImage(sprites, { ...one, text: other.text })), hashOf(drawImage(sprites, other)));
});

t.test('a character that no bundled font holds is refused', async (t) => {
  t.throws(() => drawImage(sprites, { ...sampleJob(1), text: 'A0' }), RangeError);
});

/** Tells the paper, the lightest colour. */
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
