// Draws with the operator's own renderer instead of the image libraries, behind the same bounded queue.
import fastq from 'fastq';
import type { DrawingJob } from '../image/derivation.js';
import type { ImagePreset } from '../presets/preset.js';
import { type ImagePool, ImageQueueFullError } from './image-pool.js';

/**
 * A renderer that the operator supplies. Its images may look like anything, as long as the same call gives the same bytes.
 */
export interface Renderer {
  /**
   * Identifies it, with its version, in the records: 1 to 80 letters, digits, _, ., @, :, / or -, and not `none` or
   * `no-image`.
   */
  readonly name: string;
  /**
   * Returns the PNG of a text.
   * @param effectsSeed 32 bytes that decide every effect
   */
  render(text: string, effectsSeed: Uint8Array, preset: ImagePreset): Uint8Array | Promise<Uint8Array>;
}

interface RendererPoolOptions {
  /** Calls at the same time. */
  readonly running: number;
  /** Jobs that may wait. */
  readonly maxQueue: number;
  /** Milliseconds after which a call has timed out. */
  readonly timeoutMs?: number;
}

const NAME = /^[A-Za-z0-9_.@:/-]{1,80}$/;
// Records use these for challenges without an image.
const RESERVED_NAMES = new Set(['none', 'no-image']);
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const TIMEOUT_MS = 5000;

/** Returns the mistake in a renderer, worded to follow `renderer`; null if there is none. */
export function rendererMistake(renderer: unknown): string | null {
  if (typeof renderer !== 'object' || renderer === null) return 'must be an object';
  const { name, render } = renderer as Partial<Record<keyof Renderer, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name)) {
    return 'must have a name of 1 to 80 letters, digits, _, ., @, :, / or -';
  }
  if (RESERVED_NAMES.has(name)) return `must not be named ${name}`;
  return typeof render === 'function' ? null : 'must have a function render';
}

/**
 * Opens a pool that passes its jobs to the renderer. `draw` rejects with ImageQueueFullError if the queue is full or every
 * running call has timed out, and with an Error that does not quote the text if the renderer throws, times out or returns no
 * PNG. A timed-out call occupies its slot until it ends, so that a hanging renderer never runs more calls than `running`.
 */
export function openRendererPool(renderer: Renderer, options: RendererPoolOptions): ImagePool {
  const { running, maxQueue, timeoutMs = TIMEOUT_MS } = options;
  const calls = fastq.promise<unknown, RendererCall, void>(render, running);
  let timedOut = 0;
  let isClosed = false;

  /** Settles the call no later than its timeout, and ends when the renderer does. */
  async function render({ job, resolve, reject }: RendererCall): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      timedOut++;
      reject(new RendererError(`timed out after ${timeoutMs} ms`));
      if (timedOut === running) refuseWaiting();
    }, timeoutMs);
    try {
      resolve(await renderer.render(job.text, job.effectsSeed, job.preset));
    } catch (error) {
      reject(error);
    }
    clearTimeout(timer);
    if (isLate) timedOut--;
  }

  /** The release of the next slot is unknown: the waiting jobs are rejected now, and their clients retry. */
  function refuseWaiting(): void {
    for (const { reject } of calls.getQueue()) reject(new ImageQueueFullError());
    calls.kill();
  }

  async function draw(job: DrawingJob): Promise<Uint8Array> {
    if (isClosed) throw new Error('the image pool is closed');
    const mustWait = calls.running() === running;
    if (mustWait && (calls.length() >= maxQueue || timedOut === running)) throw new ImageQueueFullError();
    try {
      const png = await new Promise<unknown>((resolve, reject) => {
        calls.push({ job, resolve, reject });
      });
      if (isPng(png)) return png;
      throw new RendererError('returned no PNG');
    } catch (error) {
      if (error instanceof ImageQueueFullError) throw error;
      // The renderer's own message may quote the text, which is the answer.
      const why = error instanceof RendererError ? error.message : `threw ${errorName(error)}`;
      throw new Error(`the renderer ${renderer.name} ${why}`);
    }
  }

  return {
    library: renderer.name,
    fallback: false,
    identity: async () => renderer.name,
    draw,
    async close() {
      isClosed = true;
    },
  };
}

/** A job in the queue, with the callbacks of the promise that `draw` returned. */
interface RendererCall {
  readonly job: DrawingJob;
  readonly resolve: (png: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class RendererError extends Error {}

function isPng(bytes: unknown): bytes is Uint8Array {
  return bytes instanceof Uint8Array && PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'a non-error value';
}
