// Judges the work of a submission by its record and by what its form demands.

import type { KeyRing } from '../crypto/key-ring.js';
import { normaliseAddress } from './attempts/normalise.js';
import type { Scope } from './attempts/scope-ticket.js';
import type { Taken } from './store/challenge-store.js';
import { parsePowRecord } from './store/records.js';
import type { Submission } from './submission.js';
import { type FailedVerdict, failed, type GivenProof, type VerifyContext } from './verification.js';
import { verifyPowRecord } from './verify-record.js';

/** The dependencies of a judge of work. */
export interface WorkJudgeDependencies {
  readonly ring: KeyRing;
  /** Whether the answer must come from the address that asked. */
  readonly bindIp: boolean;
  /** The name of the field that a refusal is about. */
  readonly field: string;
  /** Returns whether a scope names the attempted account. */
  readonly isAccount: (account: VerifyContext['account']) => (scope: Scope) => boolean;
}

/** Right work that meets the demands of its form, or the verdict on other work. */
export type JudgedWork =
  | { readonly ok: true; readonly work: NonNullable<GivenProof['work']> }
  | FailedVerdict;

/** Judges the work of a submission by its record; null if there is none. */
export type WorkJudge = (taken: Taken | null, submission: Submission, context: VerifyContext) => JudgedWork;

/** Creates the judge. */
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
