// captcha preview: draws samples of a preset into a folder, with an HTML page that shows them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EFFORT } from '@tollgate/shared/challenges';
import { CommandError } from '@tollgate/shared/config';
import { openChallengeStore, withConnectedStore } from '@tollgate/shared/store';
import { readPreviewConfig } from '../config.js';
import { loadImageSetup, openImages } from '../image-setup.js';
import { findPreset, type NamedPreset, type Presets } from '../presets/presets.js';
import { PROJECT_ROOT } from '../project-root.js';
import { contactSheet } from './contact-sheet.js';
import { drawSamples, type Sample } from './samples.js';

/** The samples to draw. A relative path starts from the folder where the command was called. */
interface PreviewCommand {
  readonly preset: string;
  readonly count: number;
  readonly path: string;
}

/**
 * Draws the samples and returns the line to print.
 * @param folder where the command was called
 * @throws CommandError, ConfigurationError or StoreUnavailableError
 */
export async function preview(
  { preset: name, count, path }: PreviewCommand,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<string> {
  const config = readPreviewConfig(env);
  const { captcha: options, storeUrl, storeVariable } = config;
  const { presets, renderer } = await loadImageSetup(config, PROJECT_ROOT);
  const known = presetNamed(presets, name);
  const images = await openImages(renderer, options.driver, { threads: 1, maxQueue: 1 });
  try {
    const connected = <T>(use: Parameters<typeof withConnectedStore<T>>[3]) =>
      withConnectedStore(storeVariable, storeUrl, PROJECT_ROOT, use);
    const challengesOn = (store: Parameters<typeof openChallengeStore>[0]) =>
      openChallengeStore(store, options.cache.prefix);
    // One connection for each side, as between a node that issues and another that draws.
    const samples = await connected((one) =>
      connected((other) => {
        const sides = { issuing: challengesOn(one), drawing: challengesOn(other) };
        return drawSamples({ options, presets, images, ...sides }, known, count);
      }),
    );
    const target = resolve(folder, path);
    writeSamples(target, known, (await images?.identity()) ?? 'nothing', samples);
    return `drew ${count} of ${known.name} into ${target}; open ${join(target, 'index.html')}`;
  } finally {
    await images?.close();
  }
}

function presetNamed(presets: Presets, name: string): NamedPreset {
  const known = findPreset(presets, name);
  if (known !== undefined) return known;
  if (name === EFFORT) throw new CommandError('effort is work and has no image');
  throw new CommandError(
    `there is no preset ${JSON.stringify(name)}; there are ${[...presets.keys()].join(', ')}`,
  );
}

/** @throws CommandError if the folder cannot be written */
function writeSamples(
  target: string,
  { name }: NamedPreset,
  driver: string,
  samples: readonly Sample[],
): void {
  try {
    mkdirSync(target, { recursive: true });
    const shown = samples.map((sample, at) => {
      if (sample.png === null) return { ...sample, file: null };
      const file = `${name}-${String(at + 1).padStart(4, '0')}.png`;
      writeFileSync(join(target, file), sample.png);
      return { ...sample, file };
    });
    const about = `${samples.length} samples, drawn by ${driver}; each has its answer below.`;
    writeFileSync(join(target, 'index.html'), contactSheet(`Preset ${name}`, about, shown));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${target} cannot be written: ${code ?? 'unknown error'}`);
  }
}
