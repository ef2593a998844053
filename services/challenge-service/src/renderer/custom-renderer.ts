// Draws with a renderer of the host's own in the place of the image libraries, behind the same bounded queue.
import type { DrawingJob } from '../image/derivation.js';
import type { ImagePreset } from '../presets/preset.js';
import { type ImagePool, ImageQueueFullError } from './image-pool.js';

/** A renderer of the host's own; its images are its own affair, as long as the same call gives the same bytes. */
export interface Renderer {
  /** Names it, with its version, in the records: 1 to 80 letters, digits, _, ., @, :, / or -, and not `none` or `no-image`. */
  readonly name: string;
  /**
   * The PNG of a text.
   * @param effectsSeed 32 bytes that decide every effect
   */
  render(text: string, effectsSeed: Uint8Array, preset: ImagePreset): Uint8Array | Promise<Uint8Array>;
}

export interface RendererPoolOptions {
  /** Calls at the same time. */
  readonly running: number;
  /** Jobs that may wait. */
  readonly maxQueue: number;
  /** Milliseconds within which an image is drawn. */
  readonly answerMs?: number;
}

const NAME = /^[A-Za-z0-9_.@:/-]{1,80}$/;
// What the records say where nothing draws.
const TAKEN_NAMES = new Set(['none', 'no-image']);
const PNG_HEAD = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const ANSWER_MS = 5000;

/** What is wrong with a renderer, as words that follow `renderer`; null when nothing is. */
export function rendererMistake(renderer: unknown): string | null {
  if (typeof renderer !== 'object' || renderer === null) return 'must be an object';
  const { name, render } = renderer as Partial<Record<keyof Renderer, unknown>>;
  if (typeof name !== 'string' || !NAME.test(name)) {
    return 'must have a name of 1 to 80 letters, digits, _, ., @, :, / or -';
  }
  if (TAKEN_NAMES.has(name)) return `must not be named ${name}`;
  return typeof render === 'function' ? null : 'must have a function render';
}

/**
 * A pool that hands its jobs to the renderer. `draw` rejects with ImageQueueFullError when the queue is full or every
 * call takes too long, and with an Error that tells nothing of the text when the renderer throws, takes too long, or
 * returns no PNG. A call that takes too long keeps its place until it ends.
 */
export function openRendererPool(renderer: Renderer, options: RendererPoolOptions): ImagePool {
  const { running, maxQueue, answerMs = ANSWER_MS } = options;
  const waiting: { enter(): void; refuse(error: Error): void }[] = [];
  let active = 0;
  let late = 0;
  let isClosed = false;

  async function enter(): Promise<void> {
    if (active < running) active++;
    else if (waiting.length >= maxQueue || late === running) throw new ImageQueueFullError();
    else await new Promise<void>((enter, refuse) => waiting.push({ enter, refuse }));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) active--;
    else next.enter();
  }

  /** Hands the job over; its place is free again when the renderer is done, however late that is. */
  async function render({ text, effectsSeed, preset }: DrawingJob): Promise<Uint8Array> {
    let isLate = false;
    const rendering = (async () => renderer.render(text, effectsSeed, preset))();
    const end = () => {
      if (isLate) late--;
      leave();
    };
    rendering.then(end, end);
    return within(answerMs, rendering, () => {
      isLate = true;
      late++;
      // No place will come free soon: whoever waits need not wait for that.
      if (late === running) for (const { refuse } of waiting.splice(0)) refuse(new ImageQueueFullError());
    });
  }

  async function draw(job: DrawingJob): Promise<Uint8Array> {
    if (isClosed) throw new Error('the image pool is closed');
    await enter();
    try {
      const png = await render(job);
      if (png instanceof Uint8Array && PNG_HEAD.equals(png.subarray(0, PNG_HEAD.length))) return png;
      throw new RendererError('returned no PNG');
    } catch (error) {
      // Its own words are not told: they may quote the text, which is the answer.
      const why = error instanceof RendererError ? error.message : `threw ${kindOf(error)}`;
      throw new Error(`the renderer ${renderer.name} ${why}`);
    }
  }

  return {
    driver: renderer.name,
    fallback: false,
    draw,
    async close() {
      isClosed = true;
    },
  };
}

class RendererError extends Error {}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : 'something that is no error';
}

async function within<T>(limitMs: number, work: Promise<T>, onLate: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      onLate();
      reject(new RendererError(`drew nothing within ${limitMs} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
