// The identity of a driver in a record: drivers with the same identity draw the same bytes.
import { createHash } from 'node:crypto';
import { type DrawingJob, drawingJob } from '../image/derivation.js';
import { BUNDLED_CHARACTERS, FONT_NAMES } from '../image/fonts.js';
import { defaultPreset, type ImagePreset } from '../presets/preset.js';
import type { Driver } from './driver.js';

/**
 * Returns `<package>@<version>:<8 hexadecimal digits>`. The digits are from a hash over sample images that show every glyph
 * and every effect, so that a different build of the library, a different deflate or a changed effect gives another
 * identity.
 *
 * @param draw draws with the sprites of the driver
 */
export async function identifyDriver(
  driver: Driver,
  draw: (job: DrawingJob) => Uint8Array | Promise<Uint8Array>,
): Promise<string> {
  const hash = createHash('sha256');
  for (const png of await Promise.all(sampleJobs().map(draw))) hash.update(png);
  return `${driver.name}@${driver.version}:${hash.digest('hex').slice(0, 8)}`;
}

function sampleJobs(): DrawingJob[] {
  const key = new Uint8Array(32);
  const { length } = defaultPreset.phrase;
  const jobs: DrawingJob[] = [];
  for (const font of FONT_NAMES) {
    const preset: ImagePreset = { ...defaultPreset, letters: { ...defaultPreset.letters, fonts: [font] } };
    for (let from = 0; from < BUNDLED_CHARACTERS.length; from += length) {
      const { effectsSeed } = drawingJob(key, font, from, preset);
      jobs.push({ text: BUNDLED_CHARACTERS.slice(from, from + length), effectsSeed, preset });
    }
  }
  const [first] = jobs as [DrawingJob];
  const { picture } = first.preset;
  return [...jobs, { ...first, preset: { ...first.preset, picture: { ...picture, scale: 1 } } }];
}
