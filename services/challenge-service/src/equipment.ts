// What this node issues and draws with, from its configuration: presets, kinds and renderer.

import { loadChallengeModule } from '@tollgate/shared/challenges/types/challenge-module.js';
import type { ChallengeType } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import { ConfigurationError } from '@tollgate/shared/config/environment.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { type PresetSource, type Presets, resolvePresets } from './domain/presets.js';
import { type ImagePool, openImagePool } from './image/pool.js';
import { readPresetSource } from './image/preset-source.js';
import { openRendererPool, type Renderer, rendererMistake } from './image/renderer.js';

/** Read and checked, nothing opened yet. */
export interface ImageSetup {
  readonly presets: Presets;
  readonly kinds: readonly ChallengeType[];
  /** The host's own, which draws in the place of the image libraries. */
  readonly renderer: Renderer | undefined;
}

/** What it is read from. */
export interface ImageSetupOptions {
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
 * @throws ConfigurationError with a line per mistake
 */
export async function loadImageSetup(settings: ImageSetupOptions, root: string): Promise<ImageSetup> {
  const { values, captcha: options } = settings;
  const module = await loadChallengeModule(values.CAPTCHA_MODULE, root);
  const { kinds, renderer } = module;
  const sources: PresetSource[] = [];
  const mistakes: string[] = [];
  if (module.presets !== undefined) sources.push({ name: 'CAPTCHA_MODULE presets', presets: module.presets });
  if (values.CAPTCHA_PRESETS !== undefined) {
    try {
      const presets = readPresetSource(values.CAPTCHA_PRESETS, root);
      sources.push({ name: 'CAPTCHA_PRESETS', presets });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      mistakes.push(`CAPTCHA_PRESETS ${error.message}`);
    }
  }
  const ownRenderer = renderer !== undefined;
  const wrong = ownRenderer ? rendererMistake(renderer) : null;
  if (wrong !== null) mistakes.push(`CAPTCHA_MODULE renderer ${wrong}`);
  const resolved = resolvePresets({ options, sources, kinds, ownRenderer });
  mistakes.push(...resolved.mistakes);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes);
  return { presets: resolved.presets, kinds, renderer: renderer as Renderer | undefined };
}

/** How much is drawn at once, and how much may wait. */
export interface DrawingSize {
  readonly threads: number;
  readonly maxQueue: number;
}

/**
 * Opens what draws: the host's renderer, else the image library; null when none loads.
 * @throws ConfigurationError when the library that must draw does not load
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
