// Verifies a whole attempt in one call: verify, count it as a failure, and recheck its challenges.

import type { ChallengeVerifier, CountedAttempt } from '../challenge-verifier.js';
import {
  failuresOf,
  hasRightWork,
  type Submission,
  type Verdict,
  type VerifyContext,
} from '../submission.js';
import { MAX_ATTEMPTS } from './attempts.js';

/** The context of an attempt, for the account of `key`, whose failures are read here. */
export interface AttemptContext extends Omit<VerifyContext, 'account'> {
  readonly key?: string | undefined;
  /** Whether a passing attempt counts as a failure of the account, before its outcome is known. */
  readonly counts: boolean;
}

/** The verdict, the failures that it was based on, and the counted attempt, if any. */
export interface CheckedAttempt {
  readonly verdict: Verdict;
  readonly failures: number;
  readonly counted: CountedAttempt | null;
}

/**
 * Verifies a submission as a guarded route does, including `countAttempt`. Of parallel attempts only as many pass as the
 * account may fail without more work or a captcha. A repetition with the same claim is not counted twice, and its own
 * attempt does not raise its price.
 */
export async function verifyAndCount(
  verifier: ChallengeVerifier,
  submission: Submission,
  context: AttemptContext,
): Promise<CheckedAttempt> {
  const { key, counts, ip, pow, presets, minDifficulty, algorithms, pass, claim } = context;
  const account = key === undefined ? undefined : verifier.attemptedAccount(key, claim);
  const image = context.image === 'offered' ? 'escalating' : context.image;
  const verdict = await verifier.verify(submission, {
    ip,
    pow,
    image,
    account,
    presets,
    minDifficulty,
    algorithms,
    pass,
    claim,
  });
  // The account's failures are read only after valid work.
  const isRead = account !== undefined && (verdict.ok || hasRightWork(verdict));
  const failures = isRead ? await failuresOf(account) : 0;
  if (!verdict.ok || !counts || key === undefined) return { verdict, failures, counted: null };
  const counted = await verifier.countAttempt(key, undefined, verdict.given, claim);
  const outdated = verifier.recheck(verdict.given, counted.before);
  if (outdated !== null) return { verdict: outdated, failures: counted.before, counted: null };
  return { verdict, failures: Math.min(counted.before + 1, MAX_ATTEMPTS), counted };
}
