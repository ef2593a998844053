// Issues challenges on the image endpoint: what the store is asked, and what the client gets.

import { slotTag } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import type { ImageIssue, Issued } from '@tollgate/shared/challenges/store/challenge-store.js';
import {
  formatAnswerRecord,
  type KindRecord,
  kindLineTail,
} from '@tollgate/shared/challenges/store/records.js';
import { makeToken } from '@tollgate/shared/challenges/tokens.js';
import type { AnswerKind } from '@tollgate/shared/challenges/types/answer-type.js';
import { isJudged, TEXT } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import { normaliseAnswer, scrambleAnswer } from '@tollgate/shared/challenges/types/image-answer.js';
import type { JudgedKind } from '@tollgate/shared/challenges/types/verified-type.js';
import type { ImageChallenge, KindChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { isoTime } from './iso-time.js';
import { answerContent, judgedContent, type PublicFields } from './kind-content.js';
import type { KnownPreset } from './presets.js';
import { addressPart, type IssuerParts } from './proof-of-work.js';

const SEED_BYTES = 4;

/** What a record says in the place of a driver when there is no image to draw. */
export const NO_IMAGE = 'no-image';

/** A challenge to be issued. */
export interface PreparedChallenge {
  readonly issue: ImageIssue;
  /** Of a kind of the operator's own. */
  readonly fields: PublicFields;
  readonly hasImage: boolean;
  /** For test mode; undefined when there is not one right answer. */
  readonly answer?: string;
}

/** What the kind decides of a record. */
type KindPart = Pick<KindRecord, 'judgedBy' | 'kind' | 'preset' | 'rest'> & Omit<PreparedChallenge, 'issue'>;

/**
 * What issuing one challenge of a preset asks of the store.
 * @param driver what draws the image
 * @param address normalised, null when unknown
 * @throws KindError when a kind of the operator's own fails
 */
export function imageIssue(
  parts: IssuerParts,
  known: KnownPreset,
  driver: string,
  address: string | null,
): PreparedChallenge {
  const { options, ring, random } = parts;
  const { kind } = known;
  const { client, bound } = addressPart(parts, address);
  const token = makeToken(slotTag(client.address), random);
  const {
    judgedBy,
    rest,
    kind: kindName,
    preset,
    ...prepared
  } = kind !== null && isJudged(kind)
    ? judgedPart(parts, kind, known.name, token)
    : answerPart(parts, { ...known, kind }, driver, token);
  const issue: ImageIssue = {
    token,
    ...client,
    lineTail: kindLineTail({
      judgedBy,
      kind: kindName,
      ...(preset === undefined ? {} : { preset }),
      keyId: ring.current.id,
      address: bound,
      rest,
    }),
    expireSeconds: options.cache.expire,
  };
  return { issue, ...prepared };
}

function judgedPart(
  { options, ring }: IssuerParts,
  kind: JudgedKind,
  preset: string,
  token: string,
): KindPart {
  const { fields, rest } = judgedContent(kind, options, ring.current, token);
  return { judgedBy: 'verify', kind: kind.name, preset, rest, fields, hasImage: false };
}

function answerPart(
  { ring, random }: IssuerParts,
  known: KnownPreset & { readonly kind: AnswerKind | null },
  driver: string,
  token: string,
): KindPart {
  const { mark, preset, kind } = known;
  const seed = Buffer.from(random(SEED_BYTES)).readUInt32BE();
  const { answer, fields, text } = answerContent(known, ring.current, token, seed);
  const fold = preset.phrase.ignore_capitals;
  const rest = formatAnswerRecord({
    preset: mark,
    driver: text === null ? NO_IMAGE : driver,
    seed,
    fold,
    answer: scrambleAnswer(ring.current, token, normaliseAnswer(answer, fold)),
    ...(kind?.hasMinimumTime === false ? { untimed: true } : {}),
  });
  return { judgedBy: 'answer', kind: kind?.name ?? TEXT, rest, fields, hasImage: text !== null, answer };
}

/**
 * The body of an issued challenge.
 * @param imagesUrl absolute address that the image's file name is appended to, without a slash at its end
 */
export function imageChallenge(
  { issue, fields, hasImage, answer }: PreparedChallenge,
  issued: Issued & { allowed: true },
  imagesUrl: string,
  testMode: boolean,
): ImageChallenge | KindChallenge {
  return {
    token: issue.token,
    ...(hasImage ? { url: `${imagesUrl}/${issue.token}.png` } : {}),
    ...fields,
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
    ...(testMode && answer !== undefined ? { answer } : {}),
  };
}
