// The image pool: draws off the event loop, in a fixed number of workers behind a bounded queue.
import type { Piscina } from 'piscina';
import type { DrawingJob } from '../image/derivation.js';
import { checkFonts, rasteriseSprites, type Sprites } from '../image/sprites.js';
import { DRIVER_NAMES, type Driver, type DriverName, loadDriver, type ModuleLoader } from './driver.js';
import { identifyDriver } from './driver-identity.js';

/** Thrown by `draw` if the queue is full. The route returns 503, and the client tries again. */
export class ImageQueueFullError extends Error {
  override name = 'ImageQueueFullError';
  constructor() {
    super('the image queue is full');
  }
}

export type ImagePool = {
  /** `<package>@<version>`, or the name of the operator's renderer. */
  library: string;
  /** Whether the first choice did not load, although no library was named. */
  fallback: boolean;
  /**
   * Resolves to `<package>@<version>:<fingerprint>`, or the name of a renderer; pools of the same identity draw the same
   * bytes.
   */
  identity(): Promise<string>;
  /** Draws the PNG of a job. Rejects with ImageQueueFullError at once if the queue is full. */
  draw(job: DrawingJob): Promise<Uint8Array>;
  /** Finishes the queued jobs, then ends the workers. */
  close(): Promise<void>;
};

type ImagePoolOptions = {
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

/** A worker that is idle for this long ends and frees its memory; the next image starts another one. */
const IDLE_MS = 120_000;

/** The input of drawing. */
interface Studio {
  readonly workers: Piscina<DrawingJob, Uint8Array>;
  readonly identity: string;
}

/**
 * Loads the image library and checks its fonts. The first use rasterises the glyphs and starts the workers. Returns null if
 * no image library loads.
 *
 * The glyphs are rasterised once: the workers share the sprites and never load native code.
 *
 * @throws Error if a named library is unknown or does not load, or if the library draws nothing
 */
export async function openImagePool(options: ImagePoolOptions): Promise<ImagePool | null> {
  const { threads, maxQueue } = options;
  const driver = loadDriver(options.driver, options.load);
  if (!driver) return null;
  checkFonts(driver);
  const drawing = new Set<Promise<Uint8Array>>();
  let studio: Promise<Studio> | undefined;
  let isClosed = false;

  function useStudio(): Promise<Studio> {
    studio ??= openStudio(driver as Driver, threads).catch((error) => {
      studio = undefined;
      throw error;
    });
    return studio;
  }

  async function run(job: DrawingJob): Promise<Uint8Array> {
    return (await useStudio()).workers.run(job);
  }

  return {
    library: `${driver.name}@${driver.version}`,
    fallback: options.driver === undefined && driver.name !== DRIVER_NAMES[0],
    identity: async () => (await useStudio()).identity,
    async draw(job) {
      if (isClosed) throw new Error('the image pool is closed');
      if (drawing.size >= threads + maxQueue) throw new ImageQueueFullError();
      const png = run(job);
      drawing.add(png);
      try {
        return await png;
      } finally {
        drawing.delete(png);
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(drawing);
      const opened = await studio?.catch(() => undefined);
      await opened?.workers.close();
    },
  };
}

async function openStudio(driver: Driver, threads: number): Promise<Studio> {
  const { Piscina } = await import('piscina');
  const workers = new Piscina<DrawingJob, Uint8Array>({
    filename: new URL('./draw-worker.js', import.meta.url).href,
    workerData: await spritesOf(driver),
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    recordTiming: false,
    niceIncrement: NICE_INCREMENT,
  });
  try {
    return { workers, identity: await identityOf(driver, (job) => workers.run(job)) };
  } catch (error) {
    await workers.destroy();
    throw error;
  }
}

/** Derived from a driver only, for all pools of a process. */
const sprites = new WeakMap<Driver, Promise<Sprites>>();
const identities = new WeakMap<Driver, Promise<string>>();

const spritesOf = (driver: Driver) => once(sprites, driver, () => rasteriseSprites(driver));

const identityOf = (driver: Driver, draw: (job: DrawingJob) => Promise<Uint8Array>) =>
  once(identities, driver, () => identifyDriver(driver, draw));

/** Resolves with the cached value of a driver, else makes it; after a failure it is made again the next time. */
function once<Made>(
  known: WeakMap<Driver, Promise<Made>>,
  driver: Driver,
  make: () => Promise<Made>,
): Promise<Made> {
  let made = known.get(driver);
  if (made === undefined) {
    made = make();
    known.set(driver, made);
    made.catch(() => known.delete(driver));
  }
  return made;
}
