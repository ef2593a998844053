// Verifies the challenges of a submission: shape, then pass or work, then image.

import { equalText } from '../crypto/constant-time.js';
import type { KeyRing } from '../crypto/key-ring.js';
import { openAlgorithms } from '../pow/algorithms.js';
import { type SufficiencyTerms, suffices } from '../pow/sufficiency.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { MAX_ATTEMPTS } from './attempts/attempts.js';
import { presentsPass, readPass } from './attempts/pass.js';
import { accountPseudonym } from './attempts/pseudonyms.js';
import type { Scope } from './attempts/scope-ticket.js';
import type { ChallengeStore, PassStore } from './store/challenge-store.js';
import { isAcceptedAlone } from './store/records.js';
import {
  type AttemptedAccount,
  type CheckedPass,
  countedKey,
  type FailedVerdict,
  type FieldNames,
  failed,
  failuresOf,
  type GivenProof,
  imageMissing,
  imageProblems,
  malformed,
  mayReplaceWork,
  offersImage,
  offersNoWork,
  powProblems,
  type RequiredChallenges,
  type Submission,
  type SubmissionVerifier,
  type Verdict,
  type VerifyContext,
} from './submission.js';
import { MAX_ANSWER_CHARACTERS } from './types/answer-hashing.js';
import type { VerifiedType } from './types/challenge-type.js';
import { createImageVerifier } from './verify-image.js';
import { createWorkJudge } from './verify-record.js';

/** The dependencies of a submission verifier. */
interface SubmissionVerifierDependencies {
  readonly store: ChallengeStore;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly application: string;
  readonly types: ReadonlyMap<string, VerifiedType>;
  readonly newClaim: () => string;
}

/** Creates the verifier of one application. */
export function createSubmissionVerifier({
  store,
  ring,
  options,
  application,
  types,
  newClaim,
}: SubmissionVerifierDependencies): SubmissionVerifier {
  const fieldNames: FieldNames = { pow: options.pow.fields, image: options.fields };
  const accepted = openAlgorithms(options.pow.algorithms);
  const terms: SufficiencyTerms = {
    ceiling: options.pow.max_difficulty,
    failureStep: options.pow.escalate ? options.pow.step : 0,
    grace: options.escalation.after,
  };
  const longest = Math.max(
    MAX_ANSWER_CHARACTERS,
    ...[...types.values()].map((kind) => kind.maxAnswerCharacters),
  );

  /** Whether an image may replace missing work, as in a form without JavaScript. */
  const isAlone = (submission: Submission, { pow, image, minDifficulty, algorithms }: RequiredChallenges) =>
    mayReplaceWork(options) &&
    pow &&
    image !== 'ignored' &&
    minDifficulty === undefined &&
    algorithms === undefined &&
    offersNoWork(submission);

  const passes = createPassVerifier(store, application, options.pow.expire * 1000);

  const checksFor = (submission: Submission, required: RequiredChallenges) => {
    const { image } = required;
    const checksPass = required.pow && options.pow.enabled && presentsPass(required.pass);
    const pow = required.pow && !checksPass;
    const alone = isAlone(submission, { ...required, pow });
    const checksImage = image === 'required' || (image !== 'ignored' && offersImage(submission));
    return { alone, checksPass, checksPow: pow && options.pow.enabled && !alone, checksImage };
  };

  /** Returns whether a scope names this account or its known device, under the key that made the pseudonym. */
  const isAccount = (account: AttemptedAccount | undefined) => (scope: Scope) => {
    const key = ring.find(scope.keyId);
    if (account === undefined || key === undefined) return false;
    const names = [account.key, countedKey(account)];
    return names.some((name) => equalText(accountPseudonym(key, application, name), scope.account));
  };

  const judgeWork = createWorkJudge({
    ring,
    bindIp: options.bind_ip,
    field: fieldNames.pow.nonce,
    isAccount,
  });
  const verifyImage = createImageVerifier({ store, ring, options, fieldNames, types, isAccount });

  function checkShape(submission: Submission, required: RequiredChallenges): FailedVerdict | null {
    const { checksPass, checksPow, checksImage, alone } = checksFor(submission, required);
    const wrongPass = checksPass ? passes.checkShape(required.pass) : null;
    if (wrongPass !== null) return wrongPass;
    if (alone && !offersImage(submission)) return { ...imageMissing(fieldNames), isUnproven: true };
    return malformed(
      checksPow ? powProblems(submission, fieldNames, accepted) : null,
      checksImage ? imageProblems(submission, fieldNames, longest) : null,
    );
  }

  /** Verifies an image in place of work. Nothing about the account is read: its failures do not affect the price here. */
  async function verifyAlone(
    submission: Submission,
    context: VerifyContext,
    claim: string,
    onReplay?: () => void,
  ): Promise<Verdict> {
    const terms = { claim, failures: 0, onReplay, accepts: isAcceptedAlone };
    const verdict = await verifyImage(submission, context, terms);
    if (!verdict.ok) return { ...verdict, isUnproven: true };
    return { ok: true, given: { work: null, image: true, isImageStillEnough: () => true } };
  }

  function checkPrice(work: GivenProof['work'], failures: number): FailedVerdict | null {
    if (work === null || suffices(work, failures, terms)) return null;
    const verdict = failed('pow_insufficient', fieldNames.pow.nonce, 'insufficient_work', 'insufficient');
    return { ...verdict, algorithm: work.algorithm };
  }

  function recheck(given: GivenProof, failures: number): FailedVerdict | null {
    const tooCheap = checkPrice(given.work, failures);
    if (tooCheap !== null) return tooCheap;
    if (given.image && !given.isImageStillEnough(failures)) {
      return failed('captcha_invalid', fieldNames.image.answer, 'insufficient_work', 'insufficient');
    }
    if (!given.image && failures >= options.escalation.after) return imageMissing(fieldNames);
    return null;
  }

  return {
    fieldNames,
    checkShape,
    recheck,
    refusedFrom(given) {
      let failures = 0;
      while (failures <= MAX_ATTEMPTS && recheck(given, failures) === null) failures += 1;
      return failures;
    },

    async verify(submission, context, onReplay, onPass) {
      const shape = checkShape(submission, context);
      if (shape !== null) return shape;
      const { checksPass, checksPow, checksImage, alone } = checksFor(submission, context);
      const { account, claim = newClaim() } = context;
      if (alone) return verifyAlone(submission, context, claim, onReplay);
      const pass = checksPass ? await passes.use(context.pass, claim) : null;
      if (pass !== null) onPass?.(pass);
      if (pass?.ok === false) return pass;
      let work: GivenProof['work'] = null;
      if (checksPow) {
        const token = submission.powToken as string;
        const taken = await store.take('pow', token, claim, { onConsumed: onReplay });
        const checked = judgeWork(taken, submission, context);
        if (!checked.ok) return checked;
        work = checked.work;
      }
      const failures = account === undefined ? 0 : await failuresOf(account);
      const tooCheap = checkPrice(work, failures);
      if (tooCheap !== null) return tooCheap;
      const needsImage =
        context.image === 'demanded' ||
        (context.image === 'escalating' && account !== undefined && failures >= options.escalation.after);
      if (needsImage && !checksImage) return imageMissing(fieldNames);
      let isImageStillEnough: GivenProof['isImageStillEnough'] = () => true;
      if (checksImage) {
        const verdict = await verifyImage(submission, context, { claim, failures, onReplay });
        if (!verdict.ok) return verdict;
        isImageStillEnough = verdict.isStillEnough;
      }
      const used = pass === null ? {} : { pass: pass.name };
      return { ok: true, given: { work, ...used, image: checksImage, isImageStillEnough } };
    },
  };
}

/** Verifies passes for one application. */
interface PassVerifier {
  /** Checks the form without reading the store; null for no pass, or a well-formed one. */
  checkShape(pass: unknown): FailedVerdict | null;
  /**
   * Uses a well-formed pass once.
   * @param claim identifies the request, which counts once
   */
  use(pass: unknown, claim: string): Promise<CheckedPass>;
}

/**
 * Creates the verifier of one application.
 * @param rememberMs how long a repeated request counts once
 */
function createPassVerifier(
  store: Pick<PassStore, 'usePass'>,
  application: string,
  rememberMs: number,
): PassVerifier {
  return {
    checkShape: (pass) => (presentsPass(pass) && readPass(pass) === null ? invalid('malformed') : null),

    async use(pass, claim) {
      const presented = readPass(pass);
      if (presented === null) return { ...invalid('malformed'), outcome: 'unknown' };
      const { outcome, waitMs } = await store.usePass({ ...presented, application, claim, rememberMs });
      if (outcome === 'passed') return { ok: true, name: presented.name };
      if (outcome === 'unknown') return { ...invalid('unknown'), outcome };
      const known = { outcome, pass: presented.name };
      if (outcome !== 'exhausted') return { ...invalid('unknown'), ...known };
      return { ...invalid('insufficient'), ...known, code: 'pass_exhausted', waitMs };
    },
  };
}

/** The reasons are those of work; the outcome has the reason for rejecting a pass. */
function invalid(reason: FailedVerdict['reason']): FailedVerdict {
  return { ok: false, code: 'pass_invalid', fields: {}, reason };
}
