// Derives the drawing job of a record, or the reason why this node cannot draw it.

import {
  type AnswerRecord,
  type AnswerType,
  drawKey,
  isVerifiedType,
  normaliseAnswer,
  parseAnswerRecord,
  parseVerifiedRecord,
  scrambleAnswer,
  TEXT,
} from '@tollgate/shared/challenges';
import type { KeyRing, RingKey } from '@tollgate/shared/crypto';
import { type DrawingJob, drawingJob } from '../image/derivation.js';
import { presetNameOf } from '../presets/preset-fingerprint.js';
import type { Presets } from '../presets/presets.js';
import { answerContent } from './challenge-content.js';
import { NO_IMAGE } from './image-challenge.js';

/** The drawing resources of this node; `driver` is null if it cannot draw. */
export interface DrawingDependencies {
  readonly ring: KeyRing;
  readonly presets: Presets;
  readonly driver: string | null;
}

/** The job, or the reason for none; `other` names the driver or preset that only another node has. */
export type Drawing =
  | { readonly outcome: 'draw'; readonly job: DrawingJob }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'no_library' }
  | { readonly outcome: 'other_driver' | 'other_preset'; readonly other: string };

/**
 * Returns the drawing job of a record. An image never shows a text that differs from the record's answer: a library, a
 * preset or a challenge type that differs between two nodes is detected.
 *
 * @param encoded the encoded record; null if there is none
 */
export function drawingOf(encoded: string | null, token: string, deps: DrawingDependencies): Drawing {
  const record = encoded === null ? null : parseVerifiedRecord(encoded);
  const image = record?.verifiedBy === 'answer' ? parseAnswerRecord(record.rest) : null;
  const key = record === null ? undefined : deps.ring.find(record.keyId);
  if (record === null || image === null || key === undefined || image.driver === NO_IMAGE) {
    return { outcome: 'unknown' };
  }
  if (deps.driver === null) return { outcome: 'no_library' };
  if (deps.driver !== image.driver) return { outcome: 'other_driver', other: image.driver };
  const name = presetNameOf(image.preset);
  const known = deps.presets.get(name);
  if (known === undefined || known.fingerprint !== image.preset)
    return { outcome: 'other_preset', other: name };
  const { preset, kind } = known;
  if ((kind?.name ?? TEXT) !== record.type || (kind !== null && isVerifiedType(kind))) {
    return { outcome: 'other_preset', other: name };
  }
  const text = textOf({ preset, kind }, key, token, image);
  if (text === null) return { outcome: 'other_preset', other: name };
  return { outcome: 'draw', job: drawingJob(drawKey(key), token, image.seed, preset, text) };
}

/** Returns the text of the image, or null if its answer is not the one in the record. */
function textOf(
  known: { readonly preset: DrawingJob['preset']; readonly kind: AnswerType | null },
  key: RingKey,
  token: string,
  { seed, fold, answer: kept }: AnswerRecord,
): string | null {
  const { answer, text } = answerContent(known, key, token, seed);
  return scrambleAnswer(key, token, normaliseAnswer(answer, fold)) === kept ? text : null;
}
