// What a challenge of a preset asks: made by its kind, from nothing but secret, token and seed.

import { MAX_ANSWER_CHARACTERS, normaliseAnswer } from '@tollgate/shared/challenges/types/answer-hashing.js';
import {
  type AnswerType,
  challengeTypeFault,
  type MadeChallenge,
  runChallengeType,
  type VerifiedType,
} from '@tollgate/shared/challenges/types/challenge-type.js';
import { drawKey, seededRandom } from '@tollgate/shared/challenges/types/seeded-random.js';
import type { RingKey } from '@tollgate/shared/crypto/key-ring.js';
import type { CaptchaOptions } from '@tollgate/shared/schemas/captcha-options.js';
import { answerText } from '../image/derivation.js';
import type { ImagePreset } from '../image/preset.js';

/** What the client gets of a kind beside token and times. */
export type PublicFields = Readonly<Record<string, unknown>>;

/** A challenge whose answer is one text. */
export interface AnswerContent {
  readonly answer: string;
  readonly fields: PublicFields;
  /** What its image shows; null without an image. */
  readonly text: string | null;
}

/** A challenge that its kind will judge. */
export interface VerifiedContent {
  readonly fields: PublicFields;
  readonly rest: string;
}

/** What is said of every challenge, and so by no kind. */
const TAKEN = ['token', 'url', 'expires_in', 'expires_at', 'answer'];
const NO_REST = '-';

/**
 * The same content for the same key, token and seed.
 * @param kind null for the characters of an image
 * @throws KindError
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

/** @throws KindError */
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
  const taken = Object.keys(given).find((name) => TAKEN.includes(name) || name in Object.prototype);
  if (taken !== undefined) throw challengeTypeFault(kind, method, `must not give a field named ${taken}`);
  runChallengeType(kind, method, () => JSON.stringify(given));
  return given;
}

function objectFrom(value: unknown, kind: { readonly name: string }, method: string): PublicFields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as PublicFields;
  throw challengeTypeFault(kind, method, 'must return an object, and give its fields as one');
}
