// Draws images of a preset with the service's code, and measures the time.
import { createHash } from 'node:crypto';
import { type DrawingJob, drawingJob } from '@tollgate/challenge-service/image/derivation.js';
import { drawImage } from '@tollgate/challenge-service/image/draw.js';
import { rasteriseSprites } from '@tollgate/challenge-service/image/sprites.js';
import type { ImagePreset } from '@tollgate/challenge-service/presets/preset.js';
import { type DriverName, loadDriver } from '@tollgate/challenge-service/renderer/driver.js';
import type { Report } from '../report/report.js';
import { median, percentile } from '../statistics.js';

export interface Samples {
  readonly jobs: readonly DrawingJob[];
  readonly pngs: readonly Uint8Array[];
  readonly driver: string;
  /** Wall-clock time of each image. */
  readonly drawMs: readonly number[];
  /** Per second of processor time on this thread. */
  readonly imagesPerSecond: number;
}

interface SampleOptions {
  readonly count: number;
  /** Determines the texts and effects of all images. */
  readonly seed: number;
  readonly driver?: DriverName;
}

/** Draws before the measurement, required by the optimiser. */
const WARM_UP_DRAWS = 300;

/** @throws Error if no image library loads */
export async function drawSamples(
  preset: ImagePreset,
  { count, seed, driver }: SampleOptions,
): Promise<Samples> {
  const library = loadDriver(driver);
  if (!library) throw new Error('no image library is installed');
  const sprites = await rasteriseSprites(library);
  const key = createHash('sha256').update(`images of seed ${seed}`).digest();
  const jobs = Array.from({ length: count }, (_, index) => drawingJob(key, 'bench', index, preset));
  for (let draw = 0; draw < WARM_UP_DRAWS; draw++) drawImage(sprites, jobs[draw % count]!);
  const drawMs: number[] = [];
  const before = process.cpuUsage();
  const pngs = jobs.map((job) => {
    const start = performance.now();
    const png = drawImage(sprites, job);
    drawMs.push(performance.now() - start);
    return png;
  });
  const { user, system } = process.cpuUsage(before);
  const imagesPerSecond = (count * 1e6) / (user + system);
  return { jobs, pngs, driver: `${library.name}@${library.version}`, drawMs, imagesPerSecond };
}

/** Reports time and size. */
export function reportDrawing(report: Report, samples: Samples): void {
  const { pngs, driver, drawMs, imagesPerSecond } = samples;
  const sizes = pngs.map((png) => png.length);
  report.row(`drawn by ${driver}`, {
    'images/s and core': imagesPerSecond,
    'p50 ms': median(drawMs),
    'p99 ms': percentile(drawMs, 0.99),
    'PNG bytes': sizes,
  });
}
