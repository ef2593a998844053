// Checks the challenges of a submission: shape, then work, then image (decisions 2.3, "Order").

import type { KeyRing } from '../crypto/key-ring.js';
import type { CaptchaOptions } from '../schemas/captcha-options.js';
import { normaliseAddress } from './address.js';
import type { ChallengeStore } from './challenge-store.js';
import { type Judgement, judgeImage, judgePow, type Refusal } from './judge.js';
import { parseImageLine, parsePowLine } from './records.js';
import {
  type FieldNames,
  type FieldProblem,
  type FieldProblems,
  imageProblems,
  offersImage,
  powProblems,
  type Submission,
} from './submission.js';

/** How an image is treated: `required` is part of the form's shape, `demanded` is judged after the work, `offered` only when there. */
export type ImageDemand = 'required' | 'demanded' | 'offered' | 'ignored';

/** What is checked, and for whom. */
export interface VerifyContext {
  /** The client's address as the framework reports it. */
  readonly ip: string | undefined;
  readonly pow: boolean;
  readonly image: ImageDemand;
}

/** The answer to a submission. `reason` is for the log. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly code: 'pow_invalid' | 'captcha_invalid' | 'captcha_required';
      readonly fields: FieldProblems;
      readonly reason: Refusal | 'malformed' | 'missing';
    };

/** The checking half of a host. */
export interface Checker {
  readonly fieldNames: FieldNames;
  /** Checks what a submission's fields look like; asks the store nothing. */
  checkShape(submission: Submission, context: Omit<VerifyContext, 'ip'>): Verdict;
  /** Checks a submission. A challenge that was looked at is spent; failing work never spends an image. */
  verify(submission: Submission, context: VerifyContext): Promise<Verdict>;
}

/** What a checker is made of. */
export interface CheckerParts {
  readonly store: ChallengeStore;
  readonly ring: KeyRing;
  readonly options: CaptchaOptions;
  readonly newClaim: () => string;
}

const PASSED: Verdict = { ok: true };

/** Makes the checker of a host. */
export function createChecker({ store, ring, options, newClaim }: CheckerParts): Checker {
  const fieldNames: FieldNames = { pow: options.pow.fields, image: options.fields };

  async function checkPow(submission: Submission, ip: string | undefined, claim: string): Promise<Judgement> {
    const taken = await store.take('pow', submission.powToken as string, claim);
    const record = taken === null ? null : parsePowLine(taken.line);
    return judgePow(record, submission.powNonce as string, judgeContext(ip));
  }

  async function checkImage(
    submission: Submission,
    ip: string | undefined,
    claim: string,
  ): Promise<Judgement> {
    const token = submission.imageToken as string;
    const taken = await store.take('image', token, claim);
    const record = taken === null ? null : parseImageLine(taken.line);
    const answer = { token, answer: submission.imageAnswer as string, takenAtMs: taken?.takenAtMs ?? 0 };
    return judgeImage(record, answer, options.min_seconds, judgeContext(ip));
  }

  const judgeContext = (ip: string | undefined) => ({
    ring,
    bindIp: options.bind_ip,
    address: normaliseAddress(ip),
  });

  const partsOf = (submission: Submission, { pow, image }: Omit<VerifyContext, 'ip'>) => ({
    checksPow: pow && options.pow.enabled,
    checksImage: image === 'required' || (image !== 'ignored' && offersImage(submission)),
  });

  function checkShape(submission: Submission, context: Omit<VerifyContext, 'ip'>): Verdict {
    const { checksPow, checksImage } = partsOf(submission, context);
    const work = checksPow ? powProblems(submission, fieldNames) : {};
    const fields = { ...work, ...(checksImage ? imageProblems(submission, fieldNames) : {}) };
    if (Object.keys(fields).length === 0) return PASSED;
    const code = Object.keys(work).length > 0 ? 'pow_invalid' : 'captcha_invalid';
    return { ok: false, code, fields, reason: 'malformed' };
  }

  return {
    fieldNames,
    checkShape,

    async verify(submission, context) {
      const { ip, image } = context;
      const shape = checkShape(submission, context);
      if (!shape.ok) return shape;
      const { checksPow, checksImage } = partsOf(submission, context);
      const claim = newClaim();
      if (checksPow) {
        const judgement = await checkPow(submission, ip, claim);
        if (!judgement.ok)
          return refused('pow_invalid', fieldNames.pow.nonce, 'wrong_work', judgement.reason);
      }
      if (image === 'demanded' && !checksImage) {
        return refused('captcha_required', fieldNames.image.token, 'required', 'missing');
      }
      if (checksImage) {
        const judgement = await checkImage(submission, ip, claim);
        if (!judgement.ok)
          return refused('captcha_invalid', fieldNames.image.answer, 'wrong_answer', judgement.reason);
      }
      return PASSED;
    },
  };
}

function refused(
  code: 'pow_invalid' | 'captcha_invalid' | 'captcha_required',
  field: string,
  problem: FieldProblem,
  reason: Refusal | 'missing',
): Verdict {
  return { ok: false, code, fields: { [field]: [problem] }, reason };
}
