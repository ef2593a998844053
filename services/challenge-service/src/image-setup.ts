// The image setup of this node, loaded from its configuration: presets, challenge types and renderer.

import { type ChallengeType, loadChallengeModule } from '@tollgate/shared/challenges';
import { ConfigurationError } from '@tollgate/shared/config';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { readJsonSource } from './json-source.js';
import { type PresetSource, type Presets, resolvePresets } from './presets/presets.js';
import { openRendererPool, type Renderer, rendererMistake } from './renderer/custom-renderer.js';
import { type ImagePool, openImagePool } from './renderer/image-pool.js';

/** Read and validated; nothing is open yet. */
interface ImageSetup {
  readonly presets: Presets;
  readonly kinds: readonly ChallengeType[];
  /** The operator's renderer, which replaces the image libraries. */
  readonly renderer: Renderer | undefined;
}

/** The part of the configuration that the image setup is loaded from. */
interface ImageSetupOptions {
  readonly values: {
    readonly CAPTCHA_MODULE?: string | undefined;
    readonly CAPTCHA_PRESETS?: string | undefined;
  };
  readonly captcha: CaptchaOptions;
}

/**
 * Loads `CAPTCHA_MODULE` and `CAPTCHA_PRESETS`.
 *
 * @param root folder that relative paths start from
 * @throws ConfigurationError with a line for each mistake
 */
export async function loadImageSetup(config: ImageSetupOptions, root: string): Promise<ImageSetup> {
  const { values, captcha: options } = config;
  const module = await loadChallengeModule(values.CAPTCHA_MODULE, root);
  const { kinds, renderer } = module;
  const sources: PresetSource[] = [];
  const mistakes: string[] = [];
  if (module.presets !== undefined) sources.push({ name: 'CAPTCHA_MODULE presets', presets: module.presets });
  if (values.CAPTCHA_PRESETS !== undefined) {
    try {
      const presets = readJsonSource(values.CAPTCHA_PRESETS, root);
      sources.push({ name: 'CAPTCHA_PRESETS', presets });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      mistakes.push(`CAPTCHA_PRESETS ${error.message}`);
    }
  }
  const hasCustomRenderer = renderer !== undefined;
  const wrong = hasCustomRenderer ? rendererMistake(renderer) : null;
  if (wrong !== null) mistakes.push(`CAPTCHA_MODULE renderer ${wrong}`);
  const resolved = resolvePresets({ options, sources, kinds, hasCustomRenderer });
  mistakes.push(...resolved.mistakes);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return { presets: resolved.presets, kinds, renderer: renderer as Renderer | undefined };
}

/** The size of the pool: images drawn at the same time, and images that may wait. */
interface DrawingSize {
  readonly threads: number;
  readonly maxQueue: number;
}

/**
 * Opens the image pool, on the operator's renderer or on an image library. Returns null if no library loads.
 * @throws ConfigurationError if the configured library does not load
 */
export async function openImages(
  renderer: Renderer | undefined,
  driver: CaptchaOptions['driver'],
  size: DrawingSize,
): Promise<ImagePool | null> {
  if (renderer !== undefined) {
    return openRendererPool(renderer, { running: size.threads, maxQueue: size.maxQueue });
  }
  if (driver === undefined) return openImagePool(size);
  try {
    return await openImagePool({ ...size, driver });
  } catch {
    throw new ConfigurationError([`CAPTCHA_DRIVER names ${driver}, which does not load`]);
  }
}
