// Finds out from a record what its image shows, or why it cannot be drawn here.

import {
  type AnswerRecord,
  parseAnswerRecord,
  parseVerifiedRecord,
} from '@tollgate/shared/challenges/store/records.js';
import { normaliseAnswer, scrambleAnswer } from '@tollgate/shared/challenges/types/answer-hashing.js';
import type { AnswerType } from '@tollgate/shared/challenges/types/challenge-type.js';
import { isVerifiedType, TEXT } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import { drawKey } from '@tollgate/shared/challenges/types/seeded-random.js';
import type { KeyRing, RingKey } from '@tollgate/shared/crypto/key-ring.js';
import { type DrawingJob, drawingJob } from '../image/derivation.js';
import { presetNameIn } from '../image/preset-mark.js';
import { NO_IMAGE } from './image-challenge.js';
import { answerContent } from './kind-content.js';
import type { Presets } from './presets.js';

/** What this node draws with; `driver` is null where nothing draws. */
export interface DrawingDependencies {
  readonly ring: KeyRing;
  readonly presets: Presets;
  readonly driver: string | null;
}

/** What is to be drawn; `other` names what only another node has. */
export type Drawing =
  | { readonly outcome: 'draw'; readonly job: DrawingJob }
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'no_library' }
  | { readonly outcome: 'other_driver' | 'other_preset'; readonly other: string };

/**
 * What the image of a record shows. It never shows another text than the record's answer: a preset or a kind that has
 * changed between two nodes is found out, as is another library.
 *
 * @param line the record, or null when there is none
 */
export function drawingOf(line: string | null, token: string, deps: DrawingDependencies): Drawing {
  const record = line === null ? null : parseVerifiedRecord(line);
  const image = record?.verifiedBy === 'answer' ? parseAnswerRecord(record.rest) : null;
  const key = record === null ? undefined : deps.ring.find(record.keyId);
  if (record === null || image === null || key === undefined || image.driver === NO_IMAGE) {
    return { outcome: 'unknown' };
  }
  if (deps.driver === null) return { outcome: 'no_library' };
  if (deps.driver !== image.driver) return { outcome: 'other_driver', other: image.driver };
  const name = presetNameIn(image.preset);
  const known = deps.presets.get(name);
  if (known === undefined || known.mark !== image.preset) return { outcome: 'other_preset', other: name };
  const { preset, kind } = known;
  if ((kind?.name ?? TEXT) !== record.type || (kind !== null && isVerifiedType(kind))) {
    return { outcome: 'other_preset', other: name };
  }
  const text = textOf({ preset, kind }, key, token, image);
  if (text === null) return { outcome: 'other_preset', other: name };
  return { outcome: 'draw', job: drawingJob(drawKey(key), token, image.seed, preset, text) };
}

/** The text that the image shows, or null when its answer is not that of the record. */
function textOf(
  known: { readonly preset: DrawingJob['preset']; readonly kind: AnswerType | null },
  key: RingKey,
  token: string,
  { seed, fold, answer: kept }: AnswerRecord,
): string | null {
  const { answer, text } = answerContent(known, key, token, seed);
  return scrambleAnswer(key, token, normaliseAnswer(answer, fold)) === kept ? text : null;
}
