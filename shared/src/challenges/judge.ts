// The verdict over a taken challenge: pure, from record, submission and the store's time.

import { equalText } from '../crypto/constant-time.js';
import type { KeyRing } from '../crypto/key-ring.js';
import { solves } from '../pow/difficulty.js';
import { digestOf } from './algorithms.js';
import { normaliseAnswer, scrambleAnswer } from './image-answer.js';
import { addressName } from './names.js';
import type { ImageRecord, PowRecord } from './records.js';

/** Why a challenge failed; for the log, never for the answer. */
export type Refusal = 'unknown' | 'wrong' | 'too_soon' | 'other_address';

export type Judgement = { readonly ok: true } | { readonly ok: false; readonly reason: Refusal };

/** What both kinds are judged by. `address` is normalised, null when unknown. */
export interface JudgeContext {
  readonly ring: KeyRing;
  readonly bindIp: boolean;
  readonly address: string | null;
}

const RIGHT: Judgement = { ok: true };

/** Judges a proof of work. Everything but the nonce comes from the server's own record. */
export function judgePow(record: PowRecord | null, nonce: string, context: JudgeContext): Judgement {
  const digest = record === null ? undefined : digestOf(record.algorithm);
  if (record === null || digest === undefined) return refusal('unknown');
  if (!solves(digest, record.salt, nonce, record.difficulty)) return refusal('wrong');
  return sameAddress(record, context) ? RIGHT : refusal('other_address');
}

/**
 * Judges an image's answer.
 * @param takenAtMs the store's time when the challenge was taken
 * @param minSeconds answers faster than this fail; 0 lets every one pass
 */
export function judgeImage(
  record: ImageRecord | null,
  submission: { readonly token: string; readonly answer: string; readonly takenAtMs: number },
  minSeconds: number,
  context: JudgeContext,
): Judgement {
  const key = record === null ? undefined : context.ring.find(record.keyId);
  if (record === null || key === undefined) return refusal('unknown');
  const answer = normaliseAnswer(submission.answer, record.fold);
  const right = answer !== '' && equalText(scrambleAnswer(key, submission.token, answer), record.answer);
  if (!right) return refusal('wrong');
  if (submission.takenAtMs - record.issuedAtMs < minSeconds * 1000) return refusal('too_soon');
  return sameAddress(record, context) ? RIGHT : refusal('other_address');
}

function sameAddress(record: { keyId: string; address: string | null }, context: JudgeContext): boolean {
  if (!context.bindIp) return true;
  const key = context.ring.find(record.keyId);
  if (key === undefined || record.address === null || context.address === null) return false;
  return equalText(addressName(key, context.address), record.address);
}

function refusal(reason: Refusal): Judgement {
  return { ok: false, reason };
}
