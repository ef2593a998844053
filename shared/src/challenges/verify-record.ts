// The verdict over a taken challenge: pure, from record, submission and the store's time.

import { equalText } from '../crypto/constant-time.js';
import type { KeyRing, RingKey } from '../crypto/key-ring.js';
import { solves } from '../pow/difficulty.js';
import { addressPseudonym } from './attempts/pseudonyms.js';
import { type PowRecord, parseAnswerRecord, type VerifiedRecord } from './store/records.js';
import { digestOf, normaliseAnswer, scrambleAnswer } from './types/answer-hashing.js';
import {
  type ChallengeTypeContext,
  challengeTypeFault,
  runChallengeType,
  type VerifiedType,
} from './types/challenge-type.js';
import { seededRandom } from './types/seeded-random.js';

/** Why a challenge failed; for the log, never for the answer. */
export type RefusalReason = 'unknown' | 'wrong' | 'too_soon' | 'other_address';

export type RecordVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: RefusalReason };

/** An image, or what stands in for it, may also be right and yet not enough, at once or once failures have risen. */
export type ImageVerdict =
  | { readonly ok: true; isStillEnough(failures: number): boolean }
  | { readonly ok: false; readonly reason: RefusalReason | 'insufficient' };

/** What both kinds are judged by. `address` is normalised, null when unknown. */
export interface VerifyRecordContext {
  readonly ring: KeyRing;
  readonly bindIp: boolean;
  readonly address: string | null;
}

const RIGHT: RecordVerdict = { ok: true };

/** Judges a proof of work. Everything but the nonce comes from the server's own record. */
export function verifyPowRecord(
  record: PowRecord | null,
  nonce: string,
  context: VerifyRecordContext,
): RecordVerdict {
  const digest = record === null ? undefined : digestOf(record.algorithm);
  if (record === null || digest === undefined) return refusal('unknown');
  if (!solves(digest, record.salt, nonce, record.difficulty)) return refusal('wrong');
  return sameAddress(record, context) ? RIGHT : refusal('other_address');
}

/** What an answer on the image endpoint is judged by. */
export interface ImageContext extends VerifyRecordContext, Omit<ChallengeTypeContext, 'random'> {
  readonly types: ReadonlyMap<string, VerifiedType>;
}

/**
 * Judges an answer on the image endpoint, whatever its kind.
 * @param submission `takenAtMs` is the store's time when the challenge was taken
 * @throws KindError
 */
export function verifyImageRecord(
  record: VerifiedRecord | null,
  submission: { readonly token: string; readonly answer: string; readonly takenAtMs: number },
  context: ImageContext,
): ImageVerdict {
  const key = record === null ? undefined : context.ring.find(record.keyId);
  if (record === null || key === undefined) return refusal('unknown');
  const {
    outcome,
    hasMinimumTime,
    isStillEnough = () => true,
  } = record.verifiedBy === 'verify'
    ? verifyByType(record, key, submission, context)
    : verifyAnswer(record, key, submission);
  if (outcome !== 'right') return { ok: false, reason: outcome };
  const elapsedMs = submission.takenAtMs - record.issuedAtMs;
  if (hasMinimumTime && elapsedMs < context.options.min_seconds * 1000) return refusal('too_soon');
  return sameAddress(record, context) ? { ok: true, isStillEnough } : refusal('other_address');
}

/** What an answer is worth by itself, and whether it can have come too soon. */
interface AnswerOutcome {
  readonly outcome: 'right' | 'wrong' | 'insufficient' | 'unknown';
  readonly hasMinimumTime: boolean;
  /** Whether it is enough for an account that has come to so many failures; always when left out. */
  readonly isStillEnough?: (failures: number) => boolean;
}

interface Answer {
  readonly token: string;
  readonly answer: string;
}

const OUTCOMES: readonly unknown[] = ['right', 'wrong', 'insufficient'];

/** @throws KindError when the kind of a host throws or gives no verdict */
function verifyByType(
  record: VerifiedRecord,
  key: RingKey,
  { token, answer }: Answer,
  { types, options, ring, isAccount, failures }: ImageContext,
): AnswerOutcome {
  const kind = types.get(record.type);
  if (kind === undefined) return { outcome: 'unknown', hasMinimumTime: true };
  const about = (failures: number) => {
    return { options, ring, random: seededRandom(key, record.type, token, 0), isAccount, failures };
  };
  const outcome = runChallengeType(kind, 'verify', () => kind.verify(record.rest, answer, about(failures)));
  if (!OUTCOMES.includes(outcome)) {
    throw challengeTypeFault(kind, 'verify', 'must return right, wrong or insufficient');
  }
  const isStillEnough = (risen: number) =>
    runChallengeType(kind, 'isStillEnough', () => kind.isStillEnough?.(record.rest, about(risen)) ?? true);
  return { outcome, hasMinimumTime: kind.hasMinimumTime, isStillEnough };
}

/** Compares an answer that is one text with the scrambled copy in its record. */
function verifyAnswer(record: VerifiedRecord, key: RingKey, { token, answer: text }: Answer): AnswerOutcome {
  const kept = parseAnswerRecord(record.rest);
  if (kept === null) return { outcome: 'unknown', hasMinimumTime: true };
  const answer = normaliseAnswer(text, kept.fold);
  const isRight = answer !== '' && equalText(scrambleAnswer(key, token, answer), kept.answer);
  return { outcome: isRight ? 'right' : 'wrong', hasMinimumTime: kept.untimed !== true };
}

function sameAddress(
  record: { keyId: string; address: string | null },
  context: VerifyRecordContext,
): boolean {
  if (!context.bindIp) return true;
  const key = context.ring.find(record.keyId);
  if (key === undefined || record.address === null || context.address === null) return false;
  return equalText(addressPseudonym(key, context.address), record.address);
}

function refusal(reason: RefusalReason): RecordVerdict & { ok: false } {
  return { ok: false, reason };
}
