// The image pool: draws off the event loop, in a fixed number of workers behind a bounded queue.
import { Piscina } from 'piscina';
import { type DrawingJob, drawingJob } from '../image/derivation.js';
import { rasteriseSprites } from '../image/sprites.js';
import { defaultPreset } from '../presets/preset.js';
import { DRIVER_NAMES, type DriverName, loadDriver, type ModuleLoader } from './driver.js';
import { identifyDriver, sampleJobs } from './driver-identity.js';

/** Thrown by `draw` if the queue is full. The route returns 503, and the client tries again. */
export class ImageQueueFullError extends Error {
  override name = 'ImageQueueFullError';
  constructor() {
    super('the image queue is full');
  }
}

export type ImagePool = {
  /** `<package>@<version>:<fingerprint>`; pools of the same identity draw the same bytes. */
  driver: string;
  /** Whether the first choice did not load, although no library was named. */
  fallback: boolean;
  /** Draws the PNG of a job. Rejects with ImageQueueFullError at once if the queue is full. */
  draw(job: DrawingJob): Promise<Uint8Array>;
  /** Finishes what is queued, then ends the workers. */
  close(): Promise<void>;
};

export type ImagePoolOptions = {
  /** The library to use. Default: the first that loads. */
  driver?: DriverName;
  /** Worker threads. */
  threads: number;
  /** Jobs that may wait while all threads are busy. */
  maxQueue: number;
  /** Loads a library; only tests supply their own. */
  load?: ModuleLoader;
};

/**
 * How much lower the priority of the workers is than that of the event loop, in steps of nice(2): an image can wait a
 * millisecond. Without effect on systems without nice.
 */
const NICE_INCREMENT = 10;

/** Draws per thread before the pool is ready: the first ones, before the code is optimised, take several times as long. */
const WARM_UP_DRAWS = 15;

/**
 * Loads the image library, rasterises the glyphs, and starts and warms up the workers. Returns null if no image library loads.
 *
 * The library is used only here and only once: the workers share the sprites and never load native code.
 *
 * @throws Error if a named library is unknown or does not load
 */
export async function openImagePool(options: ImagePoolOptions): Promise<ImagePool | null> {
  const { threads, maxQueue } = options;
  const driver = loadDriver(options.driver, options.load);
  if (!driver) return null;
  const sprites = rasteriseSprites(driver);
  const workers = new Piscina<DrawingJob, Uint8Array>({
    filename: new URL('./draw-worker.js', import.meta.url).href,
    workerData: sprites,
    minThreads: threads,
    maxThreads: threads,
    recordTiming: false,
    niceIncrement: NICE_INCREMENT,
  });
  let unfinished = 0;
  let isClosed = false;

  async function draw(job: DrawingJob): Promise<Uint8Array> {
    if (isClosed) throw new Error('the image pool is closed');
    if (unfinished >= threads + maxQueue) throw new ImageQueueFullError();
    unfinished++;
    try {
      return await workers.run(job);
    } finally {
      unfinished--;
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    await workers.close();
  }

  const drawn = sampleJobs();
  const rest = Math.max(0, threads * WARM_UP_DRAWS - drawn.length);
  const warmUp = drawingJob(new Uint8Array(32), 'warm-up', 0, defaultPreset);
  const [samples] = await Promise.all([
    Promise.all(drawn.map((job) => workers.run(job))),
    ...Array.from({ length: rest }, () => workers.run(warmUp)),
  ]);
  return {
    driver: identifyDriver(driver, samples),
    fallback: options.driver === undefined && driver.name !== DRIVER_NAMES[0],
    draw,
    close,
  };
}
