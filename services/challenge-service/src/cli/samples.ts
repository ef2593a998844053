// Draws samples of a preset through a store, as live challenges are issued and drawn.

import { randomBytes } from 'node:crypto';
import type { ChallengeStore } from '@tollgate/shared/challenges/store/challenge-store.js';
import { CommandError } from '@tollgate/shared/config/command-line.js';
import { openKeyRing } from '@tollgate/shared/crypto/key-ring.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { type Drawing, drawingOf } from '../domain/drawing.js';
import { imageIssue } from '../domain/image-challenge.js';
import type { NamedPreset, Presets } from '../domain/presets.js';
import type { ImagePool } from '../image/pool.js';

/** A challenge as a client would get it, and its answer. */
export interface Sample {
  /** Null for a kind without an image. */
  readonly png: Uint8Array | null;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined where there is not one right answer. */
  readonly answer: string | undefined;
}

/** What samples are made with. */
export interface SampleDependencies {
  readonly options: CaptchaOptions;
  readonly presets: Presets;
  /** The store as who issues sees it, and as who draws sees it. */
  readonly issuing: ChallengeStore;
  readonly drawing: ChallengeStore;
  /** Null when no image library loads. */
  readonly images: ImagePool | null;
}

/**
 * Issues and draws `count` challenges of a preset.
 * @throws CommandError when the drawing side does not see the challenge, or nothing can draw it
 * @throws StoreUnavailableError when the store does not answer
 */
export async function drawSamples(
  deps: SampleDependencies,
  known: NamedPreset,
  count: number,
): Promise<Sample[]> {
  // A secret of its own: no service takes a sample for a challenge that it has issued.
  const ring = openKeyRing(randomBytes(32).toString('hex'));
  const { options, presets, images } = deps;
  const limit = { max: count, windowMs: 60_000 };
  const issuer = { options, ring, limit, random: randomBytes };
  const driver = images?.driver ?? null;
  const samples: Sample[] = [];
  for (let at = 0; at < count; at++) {
    const { issue, fields, hasImage, answer } = imageIssue(issuer, known, driver ?? 'none', null);
    await deps.issuing.issueImage(issue);
    const line = await deps.drawing.readImage(issue.token);
    if (line === null) throw new CommandError(EXPIRED);
    const drawing = drawingOf(line, issue.token, { ring, presets, driver });
    samples.push({ png: hasImage ? await imageOf(drawing, images) : null, fields, answer });
  }
  return samples;
}

/** @throws CommandError with the one line that is known of a failure */
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
  'the challenge has expired: where it is drawn, the store that it was issued on is not seen. CAPTCHA_CACHE_STORE (or STORE_URL) must be one store for every process';
const CHANGED = 'the image cannot be drawn: its kind does not make the same challenge a second time';
const NO_LIBRARY = 'no image library loads: install canvas or @napi-rs/canvas';
