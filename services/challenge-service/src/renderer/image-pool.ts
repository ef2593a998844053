// The image pool: drawing off the event loop, in a fixed number of workers behind a bounded queue.
import { Piscina } from 'piscina';
import { type DrawingJob, drawingJob } from '../image/derivation.js';
import { rasteriseSprites } from '../image/sprites.js';
import { defaultPreset } from '../presets/preset.js';
import { DRIVER_NAMES, type DriverName, loadDriver, type ModuleLoader } from './driver.js';
import { identifyDriver } from './driver-identity.js';

/** Thrown by `draw` when as many jobs wait as may; the caller answers 503 and the client comes back. */
export class ImageQueueFullError extends Error {
  override name = 'ImageQueueFullError';
  constructor() {
    super('the image queue is full');
  }
}

export type ImagePool = {
  /** `<package>@<version>:<fingerprint>`; pools of the same identity draw the same bytes. */
  driver: string;
  /** No library was named and the first choice did not load: worth a line in the log. */
  fallback: boolean;
  /** The PNG of a job; rejects with ImageQueueFullError at once when the queue is full. */
  draw(job: DrawingJob): Promise<Uint8Array>;
  /** Finishes what is queued, then ends the workers. */
  close(): Promise<void>;
};

export type ImagePoolOptions = {
  /** The one library that must serve; without it the first that loads. */
  driver?: DriverName;
  /** Worker threads. */
  threads: number;
  /** Jobs that may wait while all threads are busy. */
  maxQueue: number;
  /** Loads a library; only tests hand in their own. */
  load?: ModuleLoader;
};

/**
 * How much lower the workers' priority is than that of the requests, in steps of nice(2): an image can wait a
 * millisecond. Where the system has no such thing they are equal.
 */
const NICE_INCREMENT = 10;

/** Draws per thread before the pool serves: the first ones, not yet compiled, take several times as long. */
const WARM_UP_DRAWS = 60;

/**
 * Loads the image library, rasterises the glyphs and starts the workers, warmed up; null when no image library loads.
 *
 * The library is used here alone and once: workers share the sprites, and never load native code.
 *
 * @throws Error when a named library is unknown or does not load
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

  const warmUp = drawingJob(new Uint8Array(32), 'warm-up', 0, defaultPreset);
  await Promise.all(Array.from({ length: threads * WARM_UP_DRAWS }, () => workers.run(warmUp)));
  return {
    driver: identifyDriver(driver, sprites),
    fallback: options.driver === undefined && driver.name !== DRIVER_NAMES[0],
    draw,
    close,
  };
}
