// Issues challenges on the image endpoint: the request to the store and the response body.

import {
  type AnswerType,
  encodeVerifiedTail,
  formatAnswerRecord,
  type ImageIssue,
  type Issued,
  isVerifiedType,
  makeToken,
  normaliseAnswer,
  scrambleAnswer,
  TEXT,
  type VerifiedRecord,
  type VerifiedType,
} from '@tollgate/shared/challenges';
import { type ImageChallenge, isoTime, type KindChallenge } from '@tollgate/shared/schemas';
import type { ImagePreset } from '../presets/preset.js';
import type { NamedPreset } from '../presets/presets.js';
import { answerContent, type PublicFields, verifiedContent } from './challenge-content.js';
import { type IssuerDependencies, issuingAddress } from './issuing.js';

const SEED_BYTES = 4;

/** The driver in the record of a challenge without an image. */
export const NO_IMAGE = 'no-image';

/** A challenge that is ready to be issued. */
export interface PreparedChallenge {
  readonly issue: ImageIssue;
  /** Fields of a challenge type of the operator. */
  readonly fields: PublicFields;
  readonly hasImage: boolean;
  /** The characters that can occur in the image; undefined if the operator's type decides. */
  readonly characters?: string | undefined;
  /** For test mode; undefined if there is no single right answer. */
  readonly answer?: string;
}

/** The decisions of the challenge type: a part of the record, and the fields for the client. */
type TypeFields = Pick<VerifiedRecord, 'verifiedBy' | 'type' | 'preset' | 'rest'> &
  Omit<PreparedChallenge, 'issue'>;

/** Whether challenges of a preset may have an image. */
export function mayHaveImage({ kind }: NamedPreset): boolean {
  return kind === null || !isVerifiedType(kind);
}

/** A challenge for a page without JavaScript: accepted without work, under a token chosen by the page. */
interface ChosenImage {
  readonly token: string;
}

/**
 * Prepares one challenge of a preset.
 * @param driver name of the image driver
 * @param address normalised; null if unknown
 * @param chosen the choices of a page without JavaScript
 * @throws ChallengeTypeError if a challenge type of the operator fails
 */
export function imageIssue(
  deps: IssuerDependencies,
  known: NamedPreset,
  driver: string,
  address: string | null,
  chosen?: ChosenImage,
): PreparedChallenge {
  const { options, ring, random } = deps;
  const { kind } = known;
  const { client, tag, bound } = issuingAddress(deps, address);
  const token = chosen?.token ?? makeToken(tag, random);
  const { verifiedBy, rest, type, preset, ...prepared } =
    kind !== null && isVerifiedType(kind)
      ? verifiedFields(deps, kind, known.name, token)
      : answerFields(deps, { ...known, kind }, driver, token, chosen !== undefined);
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

function verifiedFields(
  { options, ring }: IssuerDependencies,
  kind: VerifiedType,
  preset: string,
  token: string,
): TypeFields {
  const { fields, rest } = verifiedContent(kind, options, ring.current, token);
  return { verifiedBy: 'verify', type: kind.name, preset, rest, fields, hasImage: false };
}

function answerFields(
  { ring, random }: IssuerDependencies,
  known: NamedPreset & { readonly kind: AnswerType | null },
  driver: string,
  token: string,
  isAlone: boolean,
): TypeFields {
  const { fingerprint, preset, kind } = known;
  const seed = Buffer.from(random(SEED_BYTES)).readUInt32BE();
  const { answer, fields, text } = answerContent(known, ring.current, token, seed);
  const fold = preset.phrase.ignore_capitals;
  const rest = formatAnswerRecord({
    preset: fingerprint,
    driver: text === null ? NO_IMAGE : driver,
    seed,
    fold,
    answer: scrambleAnswer(ring.current, token, normaliseAnswer(answer, fold)),
    ...(kind?.hasMinimumTime === false ? { untimed: true } : {}),
    ...(isAlone ? { alone: true } : {}),
  });
  return {
    verifiedBy: 'answer',
    type: kind?.name ?? TEXT,
    rest,
    fields,
    characters: kind === null ? charactersOf(preset.phrase) : undefined,
    hasImage: text !== null,
    answer,
  };
}

function charactersOf({ alphabet, ignore_capitals }: ImagePreset['phrase']): string {
  return [...new Set(ignore_capitals ? alphabet.toUpperCase() : alphabet)].sort().join('');
}

/**
 * Returns the response body of an issued challenge.
 * @param imagesUrl absolute URL that the image's file name is appended to, without a trailing slash
 * @param hasHint whether the client requested the possible characters
 */
export function imageChallenge(
  { issue, fields, hasImage, characters, answer }: PreparedChallenge,
  issued: Issued & { allowed: true },
  imagesUrl: string,
  testMode: boolean,
  hasHint: boolean,
): ImageChallenge | KindChallenge {
  return {
    token: issue.token,
    ...(hasImage ? { url: `${imagesUrl}/${issue.token}.png` } : {}),
    ...fields,
    ...(hasHint && characters !== undefined ? { characters } : {}),
    expires_in: issued.lifetimeSeconds,
    expires_at: isoTime(issued.nowMs + issued.lifetimeSeconds * 1000),
    ...(testMode && answer !== undefined ? { answer } : {}),
  };
}
