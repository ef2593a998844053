// Issues image challenges: what the store is asked, and what the client gets.

import type { ImageIssue, Issued } from '@tollgate/shared/challenges/challenge-store.js';
import { drawKey, normaliseAnswer, scrambleAnswer } from '@tollgate/shared/challenges/image-answer.js';
import { addressName, slotTag } from '@tollgate/shared/challenges/names.js';
import { formatAnswerRecord, kindLineTail } from '@tollgate/shared/challenges/records.js';
import { makeToken } from '@tollgate/shared/challenges/tokens.js';
import type { ImageChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { answerText } from '../image/derivation.js';
import type { ImagePreset } from '../image/preset.js';
import { isoTime } from './iso-time.js';
import { type IssuerParts, NO_ADDRESS } from './proof-of-work.js';

const SEED_BYTES = 4;

/** What an image is issued with: the preset, its name, and the library that will draw it. */
export interface ImageChoice {
  readonly presetName: string;
  readonly preset: ImagePreset;
  readonly driver: string;
}

/** An image to be issued, with its answer: for the record's scrambled copy, and in the open in test mode alone. */
export interface PreparedImage {
  readonly issue: ImageIssue;
  readonly answer: string;
}

/**
 * What issuing one image asks of the store.
 * @param address normalised, null when unknown
 */
export function imageIssue(parts: IssuerParts, choice: ImageChoice, address: string | null): PreparedImage {
  const { options, ring, limit, random } = parts;
  const { presetName, preset, driver } = choice;
  const name = addressName(ring.current, address ?? NO_ADDRESS);
  const token = makeToken(slotTag(name), random);
  const seed = Buffer.from(random(SEED_BYTES)).readUInt32BE();
  const fold = preset.phrase.ignore_capitals;
  const answer = answerText(drawKey(ring.current), token, seed, preset);
  const issue: ImageIssue = {
    token,
    address: name,
    limit,
    lineTail: kindLineTail({
      judgedBy: 'answer',
      kind: options.phrase.type,
      keyId: ring.current.id,
      address: options.bind_ip && address !== null ? name : null,
      rest: formatAnswerRecord({
        preset: presetName,
        driver,
        seed,
        fold,
        answer: scrambleAnswer(ring.current, token, normaliseAnswer(answer, fold)),
      }),
    }),
    expireSeconds: options.cache.expire,
  };
  return { issue, answer };
}

/**
 * The body of an issued image.
 * @param imagesUrl absolute address that the image's file name is appended to, without a slash at its end
 */
export function imageChallenge(
  { issue, answer }: PreparedImage,
  issued: Issued & { allowed: true },
  imagesUrl: string,
  testMode: boolean,
): ImageChallenge {
  return {
    token: issue.token,
    url: `${imagesUrl}/${issue.token}.png`,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
    ...(testMode ? { answer } : {}),
  };
}
