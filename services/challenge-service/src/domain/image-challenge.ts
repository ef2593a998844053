// Issues challenges on the image endpoint: what the store is asked, and what the client gets.

import { slotTag } from '@tollgate/shared/challenges/attempts/pseudonyms.js';
import { makeToken } from '@tollgate/shared/challenges/store/challenge-keys.js';
import type { ImageIssue, Issued } from '@tollgate/shared/challenges/store/challenge-store.js';
import {
  encodeVerifiedTail,
  formatAnswerRecord,
  type VerifiedRecord,
} from '@tollgate/shared/challenges/store/records.js';
import { normaliseAnswer, scrambleAnswer } from '@tollgate/shared/challenges/types/answer-hashing.js';
import type { AnswerType, VerifiedType } from '@tollgate/shared/challenges/types/challenge-type.js';
import { isVerifiedType, TEXT } from '@tollgate/shared/challenges/types/challenge-type-registry.js';
import type { ImageChallenge, KindChallenge } from '@tollgate/shared/schemas/challenge-bodies.js';
import { isoTime } from './iso-time.js';
import { answerContent, type PublicFields, verifiedContent } from './kind-content.js';
import type { NamedPreset } from './presets.js';
import { addressPart, type IssuerDependencies } from './proof-of-work.js';

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
type KindPart = Pick<VerifiedRecord, 'verifiedBy' | 'type' | 'preset' | 'rest'> &
  Omit<PreparedChallenge, 'issue'>;

/**
 * What issuing one challenge of a preset asks of the store.
 * @param driver what draws the image
 * @param address normalised, null when unknown
 * @throws KindError when a kind of the operator's own fails
 */
export function imageIssue(
  deps: IssuerDependencies,
  known: NamedPreset,
  driver: string,
  address: string | null,
): PreparedChallenge {
  const { options, ring, random } = deps;
  const { kind } = known;
  const { client, bound } = addressPart(deps, address);
  const token = makeToken(slotTag(client.address), random);
  const { verifiedBy, rest, type, preset, ...prepared } =
    kind !== null && isVerifiedType(kind)
      ? judgedPart(deps, kind, known.name, token)
      : answerPart(deps, { ...known, kind }, driver, token);
  const issue: ImageIssue = {
    token,
    ...client,
    recordTail: encodeVerifiedTail({
      verifiedBy,
      type,
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
  { options, ring }: IssuerDependencies,
  kind: VerifiedType,
  preset: string,
  token: string,
): KindPart {
  const { fields, rest } = verifiedContent(kind, options, ring.current, token);
  return { verifiedBy: 'verify', type: kind.name, preset, rest, fields, hasImage: false };
}

function answerPart(
  { ring, random }: IssuerDependencies,
  known: NamedPreset & { readonly kind: AnswerType | null },
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
  return { verifiedBy: 'answer', type: kind?.name ?? TEXT, rest, fields, hasImage: text !== null, answer };
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
