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

/** SHA-256 of the images of seeds 1, 2 and 3, by driver identity. */
const golden: Record<string, string[]> = {
  'canvas@3.2.3:6d495b43': [
    'fab063f38e625ef9b00bc5a1c3f927b0161ba554cec5ee1ff29b874253b765b8',
    '42034819f95ee54063be62b85358a404b219dedaec4367bf980d42ed14cb27b0',
    '60e15d030b1c796cdc86384fb223f9e4be0047febef8dab9cf637c7470729a6f',
  ],
  '@napi-rs/canvas@1.0.11:4823974e': [
    'ff8a0be0ec03b95089473220a83499ed31c15ce48a0d94a4396e5e42e77a800f',
    '9ae0d15aadcc5a02df07fa2ffafa0657f238ac67c3f537dcd2b5ca6626b01099',
    '5d8c9976479278b727caa9c5e97c5b1c6cd0aa2a63c4ed3b62d1d7e5fd91daee',
  ],
};

async function readPixels(
  png: Uint8Array,
): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
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

t.test('two hundred images are sound PNG files of 240 × 80 under 3 kB', async (t) => {
  for (let seed = 0; seed < 200; seed++) {
    const png = drawImage(sprites, sampleJob(seed));
    const { width, height, data } = await readPixels(png);
    let inked = 0;
    const colours = new Set<number>();
    const paper = data[0]! * 65_536 + data[1]! * 256 + data[2]!;
    for (let at = 0; at < data.length; at += 4) {
      const colour = data[at]! * 65_536 + data[at + 1]! * 256 + data[at + 2]!;
      colours.add(colour);
      if (colour !== paper) inked++;
    }
    const isSound = width === 240 && height === 80 && colours.size <= 16 && inked > 2000 && inked < 9600;
    if (!isSound || png.length >= 3000) t.fail(`seed ${seed}: ${width} × ${height}, ${png.length} bytes`);
  }
  t.pass('all of them');
});

t.test('letters touch: without speckles their ink hangs together mostly', async (t) => {
  const preset = { ...defaultPreset, speckles: { ...defaultPreset.speckles, count: 0 } };
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

t.test('the same text under other effects is another image', async (t) => {
  const [one, other] = [sampleJob(1), sampleJob(2)];
  t.not(hashOf(drawImage(sprites, { ...one, text: other.text })), hashOf(drawImage(sprites, other)));
});

t.test('a character that no bundled font holds is refused', async (t) => {
  t.throws(() => drawImage(sprites, { ...sampleJob(1), text: 'A0' }), RangeError);
});

function countPieces({ width, height, data }: Awaited<ReturnType<typeof readPixels>>): number {
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
