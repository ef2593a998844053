// The verdicts on challenge records: on work, and on an image or its replacement.

import { equalText } from '../crypto/constant-time.js';
import type { KeyRing, RingKey } from '../crypto/key-ring.js';
import { algorithmsByName } from '../pow/algorithms.js';
import { addressPseudonym, normaliseAddress } from './attempts/pseudonyms.js';
import type { Scope } from './attempts/scope-ticket.js';
import type { Taken } from './store/challenge-store.js';
import { type PowRecord, parseAnswerRecord, parsePowRecord, type VerifiedRecord } from './store/records.js';
import {
  type FailedVerdict,
  failed,
  type GivenProof,
  type Submission,
  type VerifyContext,
} from './submission.js';
import { normaliseAnswer, scrambleAnswer, seededRandom } from './types/answer-hashing.js';
import {
  type ChallengeTypeContext,
  challengeTypeFault,
  runChallengeType,
  type VerifiedType,
} from './types/challenge-type.js';

/** Why a challenge failed: for the log, never for the response. */
export type RefusalReason = 'unknown' | 'wrong' | 'too_soon' | 'other_address';

type RecordVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: RefusalReason };

/** The verdict on a captcha or its replacement, which may be correct but insufficient, now or after further failures. */
type ImageVerdict =
  | { readonly ok: true; isStillEnough(failures: number): boolean }
  | { readonly ok: false; readonly reason: RefusalReason | 'insufficient' };

/** The context of every verification. `address` is normalised, null if unknown. */
interface VerifyRecordContext {
  readonly ring: KeyRing;
  readonly bindIp: boolean;
  readonly address: string | null;
}

const RIGHT: RecordVerdict = { ok: true };

/** Verifies a proof of work. Everything but the nonce comes from the server's own record. */
function verifyPowRecord(
  record: PowRecord | null,
  nonce: string,
  context: VerifyRecordContext,
): RecordVerdict {
  const algorithm = record === null ? undefined : algorithmsByName.get(record.algorithm);
  if (record === null || algorithm === undefined) return refusal('unknown');
  const { difficulty: bits, salt, terms } = record;
  if (!algorithm.solves({ bits, salt, terms }, nonce)) return refusal('wrong');
  return sameAddress(record, context) ? RIGHT : refusal('other_address');
}

/** The context of an answer on the image endpoint. */
interface ImageContext extends VerifyRecordContext, Omit<ChallengeTypeContext, 'random'> {
  readonly types: ReadonlyMap<string, VerifiedType>;
}

/**
 * Verifies an answer on the image endpoint, whatever its type.
 * @param submission `takenAtMs` is the store's time when the challenge was consumed
 * @throws ChallengeTypeError if the operator's type fails
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

/** The outcome of the answer alone, and whether a minimum time applies. */
interface AnswerOutcome {
  readonly outcome: 'right' | 'wrong' | 'insufficient' | 'unknown';
  readonly hasMinimumTime: boolean;
  /** Whether it suffices for an account with this many failures; always if missing. */
  readonly isStillEnough?: (failures: number) => boolean;
}

interface Answer {
  readonly token: string;
  readonly answer: string;
}

const OUTCOMES: readonly unknown[] = ['right', 'wrong', 'insufficient'];

/** @throws ChallengeTypeError if the operator's type throws or returns no verdict */
function verifyByType(
  record: VerifiedRecord,
  key: RingKey,
  { token, answer }: Answer,
  { types, options, ring, isAccount, failures }: ImageContext,
): AnswerOutcome {
  const type = types.get(record.type);
  if (type === undefined) return { outcome: 'unknown', hasMinimumTime: true };
  const contextAt = (failures: number) => {
    return { options, ring, random: seededRandom(key, record.type, token, 0), isAccount, failures };
  };
  const outcome = runChallengeType(type, 'verify', () =>
    type.verify(record.rest, answer, contextAt(failures)),
  );
  if (!OUTCOMES.includes(outcome)) {
    throw challengeTypeFault(type, 'verify', 'must return right, wrong or insufficient');
  }
  const isStillEnough = (risen: number) =>
    runChallengeType(
      type,
      'isStillEnough',
      () => type.isStillEnough?.(record.rest, contextAt(risen)) ?? true,
    );
  return { outcome, hasMinimumTime: type.hasMinimumTime, isStillEnough };
}

/** Compares an answer with the hash in its record. */
function verifyAnswer(record: VerifiedRecord, key: RingKey, { token, answer: text }: Answer): AnswerOutcome {
  const stored = parseAnswerRecord(record.rest);
  if (stored === null) return { outcome: 'unknown', hasMinimumTime: true };
  const answer = normaliseAnswer(text, stored.fold);
  const isRight = answer !== '' && equalText(scrambleAnswer(key, token, answer), stored.answer);
  return { outcome: isRight ? 'right' : 'wrong', hasMinimumTime: stored.untimed !== true };
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

/** The dependencies of the work verifier. */
interface WorkJudgeDependencies {
  readonly ring: KeyRing;
  /** Whether the answer must come from the requesting address. */
  readonly bindIp: boolean;
  /** The field name of a rejection. */
  readonly field: string;
  /** Returns whether a scope names the attempted account. */
  readonly isAccount: (account: VerifyContext['account']) => (scope: Scope) => boolean;
}

/** Valid work that meets the requirements of its form, or the verdict on other work. */
type JudgedWork = { readonly ok: true; readonly work: NonNullable<GivenProof['work']> } | FailedVerdict;

/** Verifies the work of a submission by its record; null if there is none. */
type WorkJudge = (taken: Taken | null, submission: Submission, context: VerifyContext) => JudgedWork;

/** Creates the work verifier. */
export function createWorkJudge({ ring, bindIp, field, isAccount }: WorkJudgeDependencies): WorkJudge {
  return (taken, submission, context) => {
    const record = taken === null ? null : parsePowRecord(taken.record);
    const address = normaliseAddress(context.ip);
    const checked = verifyPowRecord(record, submission.powNonce as string, { ring, bindIp, address });
    if (record === null || !checked.ok) {
      const reason = checked.ok ? 'unknown' : checked.reason;
      const verdict = failed('pow_invalid', field, 'wrong_work', reason);
      return record === null ? verdict : { ...verdict, algorithm: record.algorithm };
    }
    const { algorithm, difficulty, floor } = record;
    if (difficulty < (context.minDifficulty ?? 0)) {
      return { ...failed('pow_insufficient', field, 'work_too_easy', 'insufficient'), algorithm };
    }
    if (context.algorithms?.includes(algorithm) === false) {
      return { ...failed('pow_insufficient', field, 'wrong_algorithm', 'insufficient'), algorithm };
    }
    const scoped = record.scope !== null && isAccount(context.account)(record.scope);
    return { ok: true, work: { difficulty, floor, scoped, algorithm } };
  };
}
