// The content of a challenge, which its type makes from the secret, the token and the seed alone.

import {
  type AnswerType,
  challengeTypeFault,
  drawKey,
  MAX_ANSWER_CHARACTERS,
  type MadeChallenge,
  normaliseAnswer,
  runChallengeType,
  seededRandom,
  type VerifiedType,
} from '@tollgate/shared/challenges';
import type { RingKey } from '@tollgate/shared/crypto';
import type { CaptchaOptions } from '@tollgate/shared/schemas';
import { answerText } from '../image/derivation.js';
import type { ImagePreset } from '../presets/preset.js';

/** Fields that the challenge type adds for the client, besides token and times. */
export type PublicFields = Readonly<Record<string, unknown>>;

/** Content of a challenge whose answer is one text. */
interface AnswerContent {
  readonly answer: string;
  readonly fields: PublicFields;
  /** The text in its image; null without an image. */
  readonly text: string | null;
}

/** Content of a challenge that its type verifies. */
interface VerifiedContent {
  readonly fields: PublicFields;
  /** The data in the record with which the type verifies the answer. */
  readonly rest: string;
}

/** Fields of every challenge, which a type must not use. */
const RESERVED_FIELDS = ['token', 'url', 'expires_in', 'expires_at', 'answer'];
const NO_REST = '-';

/**
 * Makes the content of a challenge whose answer is one text: always the same for the same key, token and seed.
 * @param kind the challenge type; null for the characters of an image
 * @throws ChallengeTypeError
 */
export function answerContent(
  { preset, kind }: { readonly preset: ImagePreset; readonly kind: AnswerType | null },
  key: RingKey,
  token: string,
  seed: number,
): AnswerContent {
  if (kind === null) {
    const text = answerText(drawKey(key), token, seed, preset);
    return { answer: text, fields: {}, text };
  }
  const random = seededRandom(key, kind.name, token, seed);
  const made: unknown = runChallengeType(kind, 'make', () => kind.make({ random, phrase: preset.phrase }));
  const { answer, fields = {}, text = null } = objectFrom(made, kind, 'make') as Partial<MadeChallenge>;
  if (typeof answer !== 'string' || !isAnswer(answer)) {
    throw challengeTypeFault(kind, 'make', `must give an answer of 1 to ${MAX_ANSWER_CHARACTERS} characters`);
  }
  if (text !== null && (typeof text !== 'string' || text === '' || text.length > MAX_ANSWER_CHARACTERS)) {
    throw challengeTypeFault(
      kind,
      'make',
      `must give a text of 1 to ${MAX_ANSWER_CHARACTERS} characters, or none`,
    );
  }
  return { answer, fields: checkFields(fields, kind, 'make'), text };
}

/**
 * Makes the content of a challenge that its type verifies.
 * @throws ChallengeTypeError
 */
export function verifiedContent(
  kind: VerifiedType,
  options: CaptchaOptions,
  key: RingKey,
  token: string,
): VerifiedContent {
  const random = seededRandom(key, kind.name, token, 0);
  const issued: unknown = runChallengeType(kind, 'issue', () => kind.issue?.({ options, random }));
  const { fields = {}, rest = NO_REST } = objectFrom(issued, kind, 'issue');
  if (typeof rest !== 'string' || !/^\P{Cc}{1,4000}$/u.test(rest)) {
    throw challengeTypeFault(
      kind,
      'issue',
      'must give a rest of 1 to 4000 characters without control characters, or none',
    );
  }
  return { fields: checkFields(fields, kind, 'issue'), rest };
}

function isAnswer(answer: string): boolean {
  return answer.length <= MAX_ANSWER_CHARACTERS && normaliseAnswer(answer, false) !== '';
}

function checkFields(fields: unknown, kind: { readonly name: string }, method: string): PublicFields {
  const given = objectFrom(fields, kind, method);
  const taken = Object.keys(given).find((name) => RESERVED_FIELDS.includes(name) || name in Object.prototype);
  if (taken !== undefined) throw challengeTypeFault(kind, method, `must not give a field named ${taken}`);
  runChallengeType(kind, method, () => JSON.stringify(given));
  return given;
}

function objectFrom(value: unknown, kind: { readonly name: string }, method: string): PublicFields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PublicFields;
  throw challengeTypeFault(kind, method, 'must return an object, and give its fields as one');
}
