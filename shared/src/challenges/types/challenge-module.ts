// Loads the operator's module, which adds challenge types, presets and a renderer.

import { resolve } from 'node:path';
import { importModule } from '../../config/load-module.js';
import { ConfigurationError } from '../../schemas/configuration-error.js';
import { type ChallengeType, challengeTypeMistakes } from './challenge-type-registry.js';

/** The exports of `CAPTCHA_MODULE`. The challenge service checks presets and renderer, because only it uses them. */
interface ChallengeModule {
  readonly kinds: readonly ChallengeType[];
  readonly presets: unknown;
  readonly renderer: unknown;
}

const EMPTY_MODULE: ChallengeModule = { kinds: [], presets: undefined, renderer: undefined };
const VARIABLE = 'CAPTCHA_MODULE';

/**
 * Loads the module of `CAPTCHA_MODULE`; without the variable it is empty.
 *
 * @param path value of the variable
 * @param root folder that a relative path starts from
 * @throws ConfigurationError with a line for each mistake
 */
export async function loadChallengeModule(path: string | undefined, root: string): Promise<ChallengeModule> {
  if (path === undefined) return EMPTY_MODULE;
  const exported = await load(resolve(root, path));
  const { kinds = [], presets, renderer } = exported;
  if (!['kinds', 'presets', 'renderer'].some((name) => exported[name] !== undefined)) {
    throw new ConfigurationError([
      `${VARIABLE} names a module that exports neither kinds, presets nor renderer`,
    ]);
  }
  const mistakes = challengeTypeMistakes(kinds);
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.map((mistake) => `${VARIABLE} ${mistake}`));
  return { kinds: kinds as readonly ChallengeType[], presets, renderer };
}

async function load(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importModule(path);
  } catch (error) {
    if (error instanceof RangeError) throw new ConfigurationError([`${VARIABLE} ${error.message}`]);
    throw error;
  }
}
