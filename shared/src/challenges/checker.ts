// Checks the challenges of a submission: shape, then work, then image (decisions 2.3, "Order").

import { equalText } from '../crypto/constant-time.js';
import type { KeyRing } from '../crypto/key-ring.js';
import { type SufficiencyTerms, suffices } from '../pow/sufficiency.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { normaliseAddress } from './address.js';
import type { ChallengeStore } from './challenge-store.js';
import { MAX_ANSWER_CHARACTERS } from './image-answer.js';
import { type ImageJudgement, judgeImage, judgePow } from './judge.js';
import type { JudgedKind } from './judged-kind.js';
import { accountName } from './names.js';
import { parseKindLine, parsePowLine } from './records.js';
import type { Scope } from './scope-ticket.js';
import { type FieldNames, imageProblems, offersImage, powProblems, type Submission } from './submission.js';
import { MOST_TRIES } from './tries.js';
import { type FailedVerdict, failed, type GivenProof, type Verdict } from './verdict.js';

/** How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `offered` only when there. */
export type ImageDemand = 'required' | 'demanded' | 'offered' | 'ignored';

/** Which challenges a submission is checked for. */
export interface CheckedParts {
  readonly pow: boolean;
  readonly image: ImageDemand;
}

/** The account that is tried, and its failures before this try. */
export interface TriedAccount {
  readonly key: string;
  readonly failures: number;
}

/** What is checked, and for whom. */
export interface VerifyContext extends CheckedParts {
  /** The client's address as the framework reports it. */
  readonly ip: string | undefined;
  readonly account?: TriedAccount | undefined;
  /** Names the request that spends the challenges: equal claims get equal verdicts. 128 random bits by default. */
  readonly claim?: string;
}

/** The checking half of a host. */
export interface Checker {
  readonly fieldNames: FieldNames;
  /** Checks what a submission's fields look like; asks the store nothing. */
  checkShape(submission: Submission, parts: CheckedParts): FailedVerdict | null;
  /**
   * Checks a submission. A challenge that was looked at is spent; failing work never spends an image.
   * @param onReplay told when a challenge turns out to be spent already
   */
  verify(submission: Submission, context: VerifyContext, onReplay?: () => void): Promise<Verdict>;
  /** Judges again what was given, after the account has come to `failures`; null when it is still enough. */
  reconsider(given: GivenProof, failures: number): FailedVerdict | null;
  /** Failures from which what was given is too little, at most one more than are remembered. */
  refusedFrom(given: GivenProof): number;
}

/** What a checker is made of. */
export interface CheckerParts {
  readonly store: ChallengeStore;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly host: string;
  readonly kinds: ReadonlyMap<string, JudgedKind>;
  readonly newClaim: () => string;
}

/** Makes the checker of a host. */
export function createChecker({ store, ring, options, host, kinds, newClaim }: CheckerParts): Checker {
  const fieldNames: FieldNames = { pow: options.pow.fields, image: options.fields };
  const terms: SufficiencyTerms = {
    ceiling: options.pow.max_difficulty,
    failureStep: options.pow.escalate ? options.pow.step : 0,
    grace: options.escalation.after,
  };
  const longest = Math.max(
    MAX_ANSWER_CHARACTERS,
    ...[...kinds.values()].map((kind) => kind.maxAnswerCharacters),
  );
  const judgeContext = (ip: string | undefined) => ({
    ring,
    bindIp: options.bind_ip,
    address: normaliseAddress(ip),
  });

  const partsOf = (submission: Submission, { pow, image }: CheckedParts) => ({
    checksPow: pow && options.pow.enabled,
    checksImage: image === 'required' || (image !== 'ignored' && offersImage(submission)),
  });

  /** Says whether a scope names this account, under the key that it was made with. */
  const isAccount = (account: TriedAccount | undefined) => (scope: Scope) => {
    const key = ring.find(scope.keyId);
    return (
      account !== undefined &&
      key !== undefined &&
      equalText(accountName(key, host, account.key), scope.account)
    );
  };

  function checkShape(submission: Submission, parts: CheckedParts): FailedVerdict | null {
    const { checksPow, checksImage } = partsOf(submission, parts);
    const work = checksPow ? powProblems(submission, fieldNames) : {};
    const fields = { ...work, ...(checksImage ? imageProblems(submission, fieldNames, longest) : {}) };
    if (Object.keys(fields).length === 0) return null;
    const code = Object.keys(work).length > 0 ? 'pow_invalid' : 'captcha_invalid';
    return { ok: false, code, fields, reason: 'malformed' };
  }

  async function checkPow(
    submission: Submission,
    context: VerifyContext,
    claim: string,
    onReplay?: () => void,
  ) {
    const taken = await store.take('pow', submission.powToken as string, claim, onReplay);
    const record = taken === null ? null : parsePowLine(taken.line);
    const judgement = judgePow(record, submission.powNonce as string, judgeContext(context.ip));
    if (record === null || !judgement.ok) {
      return failed(
        'pow_invalid',
        fieldNames.pow.nonce,
        'wrong_work',
        judgement.ok ? 'unknown' : judgement.reason,
      );
    }
    const scoped = record.scope !== null && isAccount(context.account)(record.scope);
    return { ok: true as const, work: { difficulty: record.difficulty, floor: record.floor, scoped } };
  }

  async function checkImage(
    submission: Submission,
    context: VerifyContext,
    claim: string,
    onReplay?: () => void,
  ): Promise<ImageJudgement> {
    const token = submission.imageToken as string;
    const taken = await store.take('image', token, claim, onReplay);
    const record = taken === null ? null : parseKindLine(taken.line);
    const answer = { token, answer: submission.imageAnswer as string, takenAtMs: taken?.takenAtMs ?? 0 };
    return judgeImage(record, answer, {
      ...judgeContext(context.ip),
      options,
      kinds,
      isAccount: context.account === undefined ? undefined : isAccount(context.account),
      failures: context.account?.failures ?? 0,
    });
  }

  function reconsider({ work, image }: GivenProof, failures: number): FailedVerdict | null {
    if (work !== null && !suffices(work, failures, terms)) {
      return failed('pow_insufficient', fieldNames.pow.nonce, 'insufficient_work', 'insufficient');
    }
    if (!image && failures >= options.escalation.after) {
      return failed('captcha_required', fieldNames.image.token, 'required', 'missing');
    }
    return null;
  }

  return {
    fieldNames,
    checkShape,
    reconsider,
    refusedFrom(given) {
      let failures = 0;
      while (failures <= MOST_TRIES && reconsider(given, failures) === null) failures += 1;
      return failures;
    },

    async verify(submission, context, onReplay) {
      const shape = checkShape(submission, context);
      if (shape !== null) return shape;
      const { checksPow, checksImage } = partsOf(submission, context);
      const { account, claim = newClaim() } = context;
      let work: GivenProof['work'] = null;
      if (checksPow) {
        const checked = await checkPow(submission, context, claim, onReplay);
        if (!checked.ok) return checked;
        work = checked.work;
        const dearer = account === undefined ? null : reconsider({ work, image: true }, account.failures);
        if (dearer !== null) return dearer;
      }
      if (context.image === 'demanded' && !checksImage) {
        return failed('captcha_required', fieldNames.image.token, 'required', 'missing');
      }
      if (checksImage) {
        const judgement = await checkImage(submission, context, claim, onReplay);
        if (!judgement.ok) {
          const problem = judgement.reason === 'insufficient' ? 'insufficient_work' : 'wrong_answer';
          return failed('captcha_invalid', fieldNames.image.answer, problem, judgement.reason);
        }
      }
      return { ok: true, given: { work, image: checksImage } };
    },
  };
}
