// Draws samples of a preset through a store, with the code that issues and draws live challenges.

import { randomBytes } from 'node:crypto';
import type { ChallengeStore } from '@tollgate/shared/challenges';
import { CommandError } from '@tollgate/shared/config';
import { openKeyRing } from '@tollgate/shared/crypto';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { type Drawing, drawingOf } from '../domain/drawing.js';
import { imageIssue } from '../domain/image-challenge.js';
import type { NamedPreset, Presets } from '../presets/presets.js';
import type { ImagePool } from '../renderer/image-pool.js';

/** A challenge as the client receives it, and its answer. */
export interface Sample {
  /** Null for a challenge type without images. */
  readonly png: Uint8Array | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined if there is no single right answer. */
  readonly answer: string | undefined;
}

interface SampleDependencies {
  readonly options: CaptchaOptions;
  readonly presets: Presets;
  /** The store on the connection of the issuing side. */
  readonly issuing: ChallengeStore;
  /** The store on the connection of the drawing side. */
  readonly drawing: ChallengeStore;
  /** Null if no image library loads. */
  readonly images: ImagePool | null;
}

/**
 * Issues and draws `count` challenges of a preset.
 * @throws CommandError if the drawing side does not see the challenge or cannot draw it
 * @throws StoreUnavailableError if the store does not respond
 */
export async function drawSamples(
  deps: SampleDependencies,
  known: NamedPreset,
  count: number,
): Promise<Sample[]> {
  // A fresh secret, so that no service accepts a sample as a challenge of its own.
  const ring = openKeyRing(randomBytes(32).toString('hex'));
  const { options, presets, images } = deps;
  const limit = { max: count, windowMs: 60_000 };
  const issuer = { options, ring, limit, random: randomBytes };
  const driver = (await images?.identity()) ?? null;
  const samples: Sample[] = [];
  for (let at = 0; at < count; at++) {
    const { issue, fields, hasImage, answer } = imageIssue(issuer, known, driver ?? 'none', null);
    await deps.issuing.issueImage(issue);
    const encoded = await deps.drawing.readImage(issue.token);
    if (encoded === null) throw new CommandError(EXPIRED);
    const drawing = drawingOf(encoded, issue.token, { ring, presets, driver });
    samples.push({ png: hasImage ? await imageOf(drawing, images) : null, fields, answer });
  }
  return samples;
}

/** @throws CommandError with a one-line reason */
async function imageOf(drawing: Drawing, images: ImagePool | null): Promise<Uint8Array> {
  if (images === null) throw new CommandError(NO_LIBRARY);
  if (drawing.outcome !== 'draw') throw new CommandError(CHANGED);
  try {
    return await images.draw(drawing.job);
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'the image cannot be drawn');
  }
}

const EXPIRED =
  'the challenge has expired: the drawing side does not see the store on which it was issued. CAPTCHA_CACHE_STORE (or STORE_URL) must name one store for all processes';
const CHANGED =
  'the image cannot be drawn: its challenge type does not make the same challenge a second time';
const NO_LIBRARY = 'no image library loads: install canvas or @napi-rs/canvas';
