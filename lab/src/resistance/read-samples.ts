// Reads images with Tesseract after each preparation, in each page mode, with and without the alphabet.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agreement, compareAll, compareByChance } from './agreement.js';
import type { Samples } from './draw-samples.js';
import { decodePng, encodePgm } from './grey-image.js';
import { PREPARATIONS } from './operations.js';
import { PAGE_MODES, type Reading, readImages } from './tesseract.js';

/** The result of one combination. */
export interface Attempt {
  readonly name: string;
  readonly seen: Agreement;
  /** The same answers compared with other images. */
  readonly byChance: Agreement;
  /** Whether the whole text was read, by image. */
  readonly hits: readonly boolean[];
}

/** Concurrent Tesseract processes. */
const AT_ONCE = 2;

export async function readSamples({ jobs, pngs }: Samples): Promise<Attempt[]> {
  const texts = jobs.map(({ text }) => text);
  const alphabet = jobs[0]!.preset.phrase.alphabet;
  const folder = await mkdtemp(join(tmpdir(), 'resistance-'));
  const attempts: Attempt[] = [];
  try {
    for (const [preparation, prepare] of Object.entries(PREPARATIONS)) {
      const files = await Promise.all(
        pngs.map(async (png, index) => {
          const file = join(folder, `${index}.pgm`);
          await writeFile(file, encodePgm(prepare(decodePng(png))));
          return file;
        }),
      );
      const readings = PAGE_MODES.flatMap((pageMode): Reading[] => [
        { pageMode },
        { pageMode, whitelist: alphabet },
      ]);
      const next = readings.entries();
      const work = async () => {
        for (const [number, reading] of next) {
          const answers = await readImages(files, join(folder, `list-${number}`), reading);
          attempts.push({
            name: `${preparation}, psm ${reading.pageMode}${reading.whitelist ? ', alphabet known' : ''}`,
            seen: compareAll(texts, answers),
            byChance: compareByChance(texts, answers),
            hits: texts.map((text, index) => text.toLowerCase() === answers[index]!.toLowerCase()),
          });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return attempts;
}

/** Returns the share of characters read beyond chance, of those that chance does not read. */
export function placedBeyondChance({ seen, byChance }: Attempt): number {
  const chance = byChance.placed / byChance.characters;
  return (seen.placed / seen.characters - chance) / (1 - chance);
}
